package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import java.util.ArrayList;
import java.util.List;

/*
 * A change's bytes:
 *
 *   tag 1 = 1, row:      fingerprint 8 | flags 1 | match values | row values | old values
 *                        flags: 1 match written, 2 row written, 4 match is the key of the row,
 *                        8 old values written
 *   tag 1 = 2, truncate: count × (schema | name | flag 1 | where the flag is 1: condition)
 *   tag 1 = 3, message:  prefix | length | content
 *   tag 1 = 4, definition: as DefinitionCodec writes it
 *
 * Values are as in Row.
 */
/** Encodes and decodes one change. Stateless. */
final class ChangeCodec {
  private static final int ROW = 1;
  private static final int TRUNCATE = 2;
  private static final int MESSAGE = 3;
  private static final int DEFINITION = 4;

  private static final int HAS_MATCH = 1;
  private static final int HAS_ROW = 2;
  private static final int MATCH_FROM_ROW = 4;
  private static final int HAS_BEFORE = 8;

  private ChangeCodec() {}

  static void encode(ChangeEvent event, ByteSink sink) {
    if (event instanceof RowChange change) {
      encodeRow(change, sink);
    } else if (event instanceof Truncate truncate) {
      sink.writeByte(TRUNCATE);
      sink.writeVarint(truncate.tables().size());
      for (Emptied emptied : truncate.tables()) {
        sink.writeString(emptied.table().schema());
        sink.writeString(emptied.table().name());
        sink.writeByte(emptied.partitionCondition() == null ? 0 : 1);
        if (emptied.partitionCondition() != null) {
          sink.writeString(emptied.partitionCondition());
        }
      }
    } else if (event instanceof Message message) {
      sink.writeByte(MESSAGE);
      sink.writeString(message.prefix());
      sink.writeVarint(message.content().length);
      sink.write(message.content(), 0, message.content().length);
    } else if (event instanceof Definition definition) {
      sink.writeByte(DEFINITION);
      DefinitionCodec.encode(definition.changes(), sink);
    } else {
      throw new IllegalStateException("BUG: no bytes for " + event);
    }
  }

  private static void encodeRow(RowChange change, ByteSink sink) {
    sink.writeByte(ROW);
    sink.writeLong(change.schema().fingerprint());
    int flags = change.row() == null ? 0 : HAS_ROW;
    if (change.match() != null) {
      boolean derived =
          change.row() != null
              && change.schema().hasKey()
              && change.schema().isMatchOf(change.match(), change.row());
      flags |= derived ? MATCH_FROM_ROW : HAS_MATCH;
    }
    if (change.before() != null) {
      flags |= HAS_BEFORE;
    }
    sink.writeByte(flags);
    if ((flags & HAS_MATCH) != 0) {
      sink.write(change.match().encoded(), 0, change.match().encoded().length);
    }
    if ((flags & HAS_ROW) != 0) {
      sink.write(change.row().encoded(), 0, change.row().encoded().length);
    }
    if ((flags & HAS_BEFORE) != 0) {
      sink.write(change.before().encoded(), 0, change.before().encoded().length);
    }
  }

  static ChangeEvent decode(byte[] bytes, int start, int end, SchemaLookup schemas) {
    ByteSource source = new ByteSource(bytes, start, end);
    int tag = source.readByte();
    switch (tag) {
      case ROW:
        {
          RowSchema schema = schemas.schema(source.readLong());
          int flags = source.readByte();
          Row match = (flags & HAS_MATCH) != 0 ? read(source, schema.matchColumnCount()) : null;
          Row row = (flags & HAS_ROW) != 0 ? read(source, schema.columns().size()) : null;
          if ((flags & MATCH_FROM_ROW) != 0) {
            match = schema.matchOf(row);
          }
          Row before = (flags & HAS_BEFORE) != 0 ? read(source, schema.columns().size()) : null;
          return new RowChange(schema, match, row, before);
        }
      case TRUNCATE:
        {
          int count = source.readVarint();
          List<Emptied> tables = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            TableId table = new TableId(source.readString(), source.readString());
            tables.add(new Emptied(table, source.readByte() == 1 ? source.readString() : null));
          }
          return new Truncate(tables);
        }
      case MESSAGE:
        {
          String prefix = source.readString();
          return new Message(prefix, source.readBytes(source.readVarint()));
        }
      case DEFINITION:
        return new Definition(DefinitionCodec.decode(source));
      default:
        throw new CorruptJournalException("change of unknown kind " + tag);
    }
  }

  /** The schema of a row change; null for other changes. */
  static RowSchema rowSchema(byte[] bytes, int start, int end, SchemaLookup schemas) {
    ByteSource source = new ByteSource(bytes, start, end);
    return source.readByte() == ROW ? schemas.schema(source.readLong()) : null;
  }

  static boolean isDefinition(byte[] bytes, int start, int end) {
    return new ByteSource(bytes, start, end).readByte() == DEFINITION;
  }

  private static Row read(ByteSource source, int columns) {
    int start = source.at();
    for (int i = 0; i < columns; i++) {
      int tag = source.readVarint();
      if (tag >= 2) {
        source.skip(tag - 2);
      }
    }
    int end = source.at();
    byte[] encoded = new byte[end - start];
    System.arraycopy(source.buffer(), start, encoded, 0, encoded.length);
    return new Row(encoded, columns);
  }
}
