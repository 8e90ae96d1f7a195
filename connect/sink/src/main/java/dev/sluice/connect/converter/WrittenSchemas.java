package dev.sluice.connect.converter;

import dev.sluice.connector.api.ByteSource;
import dev.sluice.connector.api.CorruptJournalException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.apache.kafka.connect.data.Schema;

/**
 * The schemas at the start of records that BinaryConverter wrote. A known one is recognized by its
 * bytes, so it is read once, and so is what is made of it. Owned by one thread.
 */
final class WrittenSchemas<T> {
  /** Limit of cached schemas (tables times versions); the cache is cleared when it is reached. */
  private static final int SCHEMAS_KEPT = 10_000;

  private final Function<Schema, T> maker;
  private final Map<Long, Known<T>> known = new HashMap<>();

  private record Known<T>(byte[] bytes, T made) {}

  /**
   * @param maker makes what is wanted of a schema, once
   */
  WrittenSchemas(Function<Schema, T> maker) {
    this.maker = maker;
  }

  /**
   * What was made of the schema that comes next.
   *
   * @throws CorruptJournalException if it is damaged
   */
  T read(ByteSource source) {
    int checksum = readChecksum(source);
    int length = source.readVarint();
    int start = source.at();
    source.skip(length);
    long key = (long) length << 32 | checksum & 0xFFFF_FFFFL;
    Known<T> same = known.get(key);
    if (same != null && isSame(same.bytes(), source.buffer(), start)) {
      return same.made();
    }
    if (checksum(source.buffer(), start, length) != checksum) {
      throw new CorruptJournalException("the schema's checksum does not agree");
    }
    byte[] bytes = Arrays.copyOfRange(source.buffer(), start, start + length);
    T made = maker.apply(SchemaForm.read(new ByteSource(bytes, 0, length)));
    if (known.size() >= SCHEMAS_KEPT) {
      known.clear();
    }
    known.put(key, new Known<>(bytes, made));
    return made;
  }

  static int checksum(byte[] bytes, int start, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, start, length);
    return (int) checksum.getValue();
  }

  private static boolean isSame(byte[] known, byte[] buffer, int start) {
    return Arrays.equals(known, 0, known.length, buffer, start, start + known.length);
  }

  private static int readChecksum(ByteSource source) {
    int checksum = 0;
    for (int i = 0; i < 4; i++) {
      checksum = checksum << 8 | source.readByte();
    }
    return checksum;
  }
}
