package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a row schema in the schema topic: format version, schema and table name, and per
 * column its name, type and flags (1 nullable, 2 key). The record's key is the fingerprint in
 * hexadecimal.
 */
public final class SchemaCodec {
  private static final int VERSION = 1;

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
      sink.writeByte((column.nullable() ? 1 : 0) | (column.key() ? 2 : 0));
    }
    return sink.toByteArray();
  }

  /**
   * @throws CorruptJournalException where the bytes are cut or of another format
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
      columns.add(new Column(name, type, (flags & 1) != 0, (flags & 2) != 0));
    }
    return new RowSchema(table, columns);
  }
}
