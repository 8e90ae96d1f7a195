package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.ColumnDefinition.Sequence;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Checked;
import dev.sluice.connector.api.ddl.TableDefinition.Parent;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.connector.api.ddl.TableDefinition.PrimaryKey;
import dev.sluice.connector.api.load.DefinitionStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Encodes and decodes definition changes inside a journaled change. Fields are in the order of the
 * records. A byte before an optional field says whether it exists; a list begins with its length. A
 * partition's root is written only if it is not the parent. Stateless.
 */
final class DefinitionCodec {
  private static final int NO_PARTITION = 0;
  private static final int PARTITION_OF_ROOT = 1;
  private static final int PARTITION_BELOW = 2;

  private DefinitionCodec() {}

  static void encode(DefinitionChanges all, ByteSink sink) {
    sink.writeString(all.command());
    sink.writeByte(all.plainCasts() ? 1 : 0);
    Map<String, String> settings = new TreeMap<>(all.settings());
    sink.writeVarint(settings.size());
    settings.forEach(
        (name, value) -> {
          sink.writeString(name);
          sink.writeString(value);
        });
    writeAll(
        sink,
        all.needed(),
        statement -> {
          sink.writeString(statement.thing());
          sink.writeString(statement.unless());
          sink.writeString(statement.sql());
        });
    writeAll(
        sink,
        all.changes(),
        change -> {
          writeOptional(sink, change.before(), definition -> encode(definition, sink));
          writeOptional(sink, change.after(), definition -> encode(definition, sink));
          sink.writeByte((change.begins() ? 1 : 0) | (change.rewritten() ? 2 : 0));
          writeOptional(sink, change.obstacle(), sink::writeString);
        });
  }

  static DefinitionChanges decode(ByteSource source) {
    String command = source.readString();
    boolean plainCasts = source.readByte() == 1;
    Map<String, String> settings = new TreeMap<>();
    int count = source.readVarint();
    for (int i = 0; i < count; i++) {
      settings.put(source.readString(), source.readString());
    }
    List<DefinitionStatement> needed =
        readAll(
            source,
            () ->
                new DefinitionStatement(
                    source.readString(), source.readString(), source.readString()));
    List<DefinitionChange> changes =
        readAll(
            source,
            () -> {
              TableDefinition before = readOptional(source, () -> definition(source));
              TableDefinition after = readOptional(source, () -> definition(source));
              int flags = source.readByte();
              return new DefinitionChange(
                  before,
                  after,
                  (flags & 1) != 0,
                  (flags & 2) != 0,
                  readOptional(source, source::readString));
            });
    return new DefinitionChanges(command, plainCasts, settings, needed, changes);
  }

  private static void encode(TableDefinition definition, ByteSink sink) {
    writeTable(sink, definition.table());
    writeOptional(sink, definition.partitionedBy(), sink::writeString);
    encode(definition.partition(), sink);
    writeAll(sink, definition.key().columns(), sink::writeVarint);
    sink.writeString(definition.key().checked().name());
    writeAll(sink, definition.columns(), column -> encode(column, sink));
    writeAll(
        sink,
        definition.parents(),
        parent -> {
          sink.writeVarlong(parent.relation());
          writeTable(sink, parent.table());
        });
  }

  private static TableDefinition definition(ByteSource source) {
    TableId table = readTable(source);
    String partitionedBy = readOptional(source, source::readString);
    Partition partition = partition(source);
    PrimaryKey key =
        new PrimaryKey(readAll(source, source::readVarint), Checked.valueOf(source.readString()));
    return new TableDefinition(
        table,
        partitionedBy,
        partition,
        key,
        readAll(source, () -> column(source)),
        readAll(source, () -> new Parent(source.readVarlong(), readTable(source))));
  }

  private static void encode(Partition partition, ByteSink sink) {
    if (partition == null) {
      sink.writeByte(NO_PARTITION);
      return;
    }
    boolean ofRoot = partition.parent().equals(partition.root());
    sink.writeByte(ofRoot ? PARTITION_OF_ROOT : PARTITION_BELOW);
    writeTable(sink, partition.parent());
    if (!ofRoot) {
      writeTable(sink, partition.root());
    }
    sink.writeString(partition.bound());
    writeOptional(sink, partition.condition(), sink::writeString);
  }

  private static Partition partition(ByteSource source) {
    int kind = source.readByte();
    if (kind == NO_PARTITION) {
      return null;
    }
    TableId parent = readTable(source);
    TableId root = kind == PARTITION_BELOW ? readTable(source) : parent;
    return new Partition(
        parent, root, source.readString(), readOptional(source, source::readString));
  }

  private static void encode(ColumnDefinition column, ByteSink sink) {
    sink.writeVarint(column.number());
    sink.writeString(column.name());
    sink.writeString(column.type());
    sink.writeString(column.typeIdentity());
    writeOptional(sink, column.collation(), sink::writeString);
    sink.writeByte(column.notNull() ? 1 : 0);
    sink.writeString(column.filling().name());
    writeOptional(sink, column.defaultValue(), sink::writeString);
    writeOptional(sink, column.existing(), sink::writeString);
    writeOptional(
        sink,
        column.sequence(),
        sequence -> {
          writeTable(sink, sequence.name());
          sink.writeString(sequence.options());
          sink.writeByte((sequence.plain() ? 1 : 0) | (sequence.owned() ? 2 : 0));
        });
  }

  private static ColumnDefinition column(ByteSource source) {
    return new ColumnDefinition(
        source.readVarint(),
        source.readString(),
        source.readString(),
        source.readString(),
        readOptional(source, source::readString),
        source.readByte() == 1,
        Filling.valueOf(source.readString()),
        readOptional(source, source::readString),
        readOptional(source, source::readString),
        readOptional(source, () -> sequence(source)));
  }

  private static Sequence sequence(ByteSource source) {
    TableId name = readTable(source);
    String options = source.readString();
    int flags = source.readByte();
    return new Sequence(name, options, (flags & 1) != 0, (flags & 2) != 0);
  }

  private static void writeTable(ByteSink sink, TableId table) {
    sink.writeString(table.schema());
    sink.writeString(table.name());
  }

  private static TableId readTable(ByteSource source) {
    return new TableId(source.readString(), source.readString());
  }

  private static <T> void writeOptional(ByteSink sink, T value, Consumer<T> writer) {
    sink.writeByte(value == null ? 0 : 1);
    if (value != null) {
      writer.accept(value);
    }
  }

  private static <T> T readOptional(ByteSource source, Supplier<T> reader) {
    return source.readByte() == 0 ? null : reader.get();
  }

  private static <T> void writeAll(ByteSink sink, List<T> values, Consumer<T> writer) {
    sink.writeVarint(values.size());
    values.forEach(writer);
  }

  private static <T> List<T> readAll(ByteSource source, Supplier<T> reader) {
    int count = source.readVarint();
    List<T> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(reader.get());
    }
    return values;
  }
}
