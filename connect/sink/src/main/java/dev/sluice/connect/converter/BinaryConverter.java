package dev.sluice.connect.converter;

import dev.sluice.connect.PluginVersion;
import dev.sluice.connector.api.ByteSink;
import dev.sluice.connector.api.ByteSource;
import dev.sluice.connector.api.CorruptJournalException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.storage.Converter;

/**
 * Converts Connect data to self-describing bytes and back, without a schema registry. All types are
 * kept exactly, including NaN, infinity, and NULLs of fields with a default. For the topics between
 * a source connector and Sluice's sink; both use this converter. Used by one thread at a time.
 *
 * <p>A record is a format byte, the CRC-32C of the schema (4 bytes), the schema's length and bytes,
 * and the value. Each record has its schema, so a reader recognizes a known schema by comparing
 * bytes and returns the same object for it.
 */
public final class BinaryConverter implements Converter, Versioned {
  /** The format byte. No JSON and no Avro record with a registry's id starts with it. */
  private static final int FORMAT = 0xB1;

  /** Limit of cached schemas (tables times versions); the cache is cleared when it is reached. */
  private static final int SCHEMAS_KEPT = 10_000;

  private final ByteSink sink = new ByteSink(4096);
  private final Map<Schema, Written> written = new IdentityHashMap<>();
  private final Map<Long, Read> read = new HashMap<>();

  private record Written(int checksum, byte[] bytes) {}

  private record Read(byte[] bytes, Schema schema) {}

  @Override
  public String version() {
    return PluginVersion.text();
  }

  /** There is nothing to configure. */
  @Override
  public void configure(Map<String, ?> settings, boolean isKey) {}

  /**
   * The bytes of a value; null for a tombstone.
   *
   * @throws DataException if the value has no schema, or does not match it
   */
  @Override
  public byte[] fromConnectData(String topic, Schema schema, Object value) {
    if (schema == null && value == null) {
      return null;
    }
    if (schema == null) {
      throw new DataException(
          "topic %s: a value of %s without a schema; BinaryConverter writes Connect's own data with schemas"
              .formatted(topic, value.getClass().getName()));
    }
    Written known = written(schema);
    sink.reset();
    sink.writeByte(FORMAT);
    writeChecksum(known.checksum());
    sink.writeVarint(known.bytes().length);
    sink.write(known.bytes(), 0, known.bytes().length);
    ValueForm.write(sink, schema, value);
    return sink.toByteArray();
  }

  /**
   * The value of bytes that this converter wrote.
   *
   * @throws DataException if the bytes have another format or are damaged
   */
  @Override
  public SchemaAndValue toConnectData(String topic, byte[] bytes) {
    if (bytes == null) {
      return SchemaAndValue.NULL;
    }
    try {
      ByteSource source = new ByteSource(bytes, 0, bytes.length);
      int format = source.readByte();
      if (format != FORMAT) {
        throw new DataException(
            "topic %s: a record that begins with the byte 0x%02x, expected 0x%02x of BinaryConverter; set the converter that it was written with"
                .formatted(topic, format, FORMAT));
      }
      Schema schema = schema(source);
      Object value = ValueForm.read(source, schema);
      if (source.hasMore()) {
        throw new CorruptJournalException("bytes after the value, from byte " + source.at());
      }
      return new SchemaAndValue(schema, value);
    } catch (CorruptJournalException e) {
      throw new DataException("topic %s: a damaged record: %s".formatted(topic, e.getMessage()), e);
    }
  }

  private Written written(Schema schema) {
    Written known = written.get(schema);
    if (known == null) {
      ByteSink content = new ByteSink(1024);
      SchemaForm.write(content, schema);
      byte[] bytes = content.toByteArray();
      known = new Written(checksum(bytes, 0, bytes.length), bytes);
      if (written.size() >= SCHEMAS_KEPT) {
        written.clear();
      }
      written.put(schema, known);
    }
    return known;
  }

  private Schema schema(ByteSource source) {
    int checksum = readChecksum(source);
    int length = source.readVarint();
    int start = source.at();
    source.skip(length);
    long key = (long) length << 32 | checksum & 0xFFFF_FFFFL;
    Read known = read.get(key);
    if (known != null && isSame(known.bytes(), source.buffer(), start)) {
      return known.schema();
    }
    if (checksum(source.buffer(), start, length) != checksum) {
      throw new CorruptJournalException("the schema's checksum does not agree");
    }
    ByteSource content = new ByteSource(source.buffer(), start, start + length);
    byte[] bytes = content.readBytes(length);
    Schema schema = SchemaForm.read(new ByteSource(bytes, 0, length));
    if (read.size() >= SCHEMAS_KEPT) {
      read.clear();
    }
    read.put(key, new Read(bytes, schema));
    return schema;
  }

  private static boolean isSame(byte[] known, byte[] buffer, int start) {
    return Arrays.equals(known, 0, known.length, buffer, start, start + known.length);
  }

  private static int checksum(byte[] bytes, int start, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, start, length);
    return (int) checksum.getValue();
  }

  private void writeChecksum(int checksum) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      sink.writeByte(checksum >>> shift);
    }
  }

  private static int readChecksum(ByteSource source) {
    int checksum = 0;
    for (int i = 0; i < 4; i++) {
      checksum = checksum << 8 | source.readByte();
    }
    return checksum;
  }
}
