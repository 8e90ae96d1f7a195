package dev.sluice.connect.converter;

import dev.sluice.connect.version.PluginVersion;
import dev.sluice.connector.api.ByteSink;
import dev.sluice.connector.api.ByteSource;
import dev.sluice.connector.api.CorruptJournalException;
import java.util.IdentityHashMap;
import java.util.Map;
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
  static final int FORMAT = 0xB1;

  /** Limit of cached schemas (tables times versions); the cache is cleared when it is reached. */
  private static final int SCHEMAS_KEPT = 10_000;

  private final ByteSink sink = new ByteSink(4096);
  private final Map<Schema, Written> written = new IdentityHashMap<>();
  private final WrittenSchemas<Schema> read = new WrittenSchemas<>(schema -> schema);

  private record Written(int checksum, byte[] bytes) {}

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
    ValueCodec.write(sink, schema, value);
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
      Schema schema = read.read(source);
      Object value = ValueCodec.read(source, schema);
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
      known = new Written(WrittenSchemas.checksum(bytes, 0, bytes.length), bytes);
      if (written.size() >= SCHEMAS_KEPT) {
        written.clear();
      }
      written.put(schema, known);
    }
    return known;
  }

  private void writeChecksum(int checksum) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      sink.writeByte(checksum >>> shift);
    }
  }
}
