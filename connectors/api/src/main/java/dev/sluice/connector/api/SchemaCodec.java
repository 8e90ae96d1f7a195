package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ColumnOrigin.Before;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes a row schema in the schema topic: format version, schema and table name, and
 * for each column its name, type, flags (1 nullable, 2 key, 4 older rows have NULL, 8 older rows
 * have a value), number in the table and, with flag 8, the value. The record's key is the
 * fingerprint in hexadecimal. Stateless.
 */
public final class SchemaCodec {
  private static final int VERSION = 2;

  private SchemaCodec() {}

  public static byte[] encode(RowSchema schema) {
    ByteSink sink = new ByteSink(64 + 32 * schema.columns().size());
    sink.writeByte(VERSION);
    sink.writeString(schema.table().schema());
    sink.writeString(schema.table().name());
    sink.writeVarint(schema.columns().size());
    for (Column column : schema.columns()) {
      sink.writeString(column.name());
      sink.writeString(column.type());
      ColumnOrigin origin = column.origin();
      sink.writeByte(
          (column.nullable() ? 1 : 0)
              | (column.key() ? 2 : 0)
              | (origin.before() == Before.NULL ? 4 : 0)
              | (origin.before() == Before.VALUE ? 8 : 0));
      // Zigzag: derived columns have negative numbers.
      sink.writeVarint(origin.number() << 1 ^ origin.number() >> 31);
      if (origin.before() == Before.VALUE) {
        sink.writeString(origin.value());
      }
    }
    return sink.toByteArray();
  }

  /**
   * @throws CorruptJournalException if the bytes are incomplete or of another version
   */
  public static RowSchema decode(byte[] bytes) {
    ByteSource source = new ByteSource(bytes, 0, bytes.length);
    int version = source.readByte();
    if (version != VERSION) {
      throw new CorruptJournalException(
          "row schema of format " + version + ", this release reads format " + VERSION);
    }
    TableId table = new TableId(source.readString(), source.readString());
    int count = source.readVarint();
    List<Column> columns = new ArrayList<>(Math.min(count, 1664));
    for (int i = 0; i < count; i++) {
      String name = source.readString();
      String type = source.readString();
      int flags = source.readByte();
      int zigzag = source.readVarint();
      int number = zigzag >>> 1 ^ -(zigzag & 1);
      ColumnOrigin origin =
          (flags & 8) != 0
              ? ColumnOrigin.withValue(number, source.readString())
              : (flags & 4) != 0 ? ColumnOrigin.withNull(number) : ColumnOrigin.of(number);
      columns.add(new Column(name, type, (flags & 1) != 0, (flags & 2) != 0, origin));
    }
    return new RowSchema(table, columns);
  }
}
