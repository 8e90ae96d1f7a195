package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A table as the log describes it, and the decoder of its rows. The key is that of the replica
 * identity in the source's catalog. Of an old row only the key columns are used, unless the log has
 * complete old rows. Owned by the thread that decodes the log.
 */
final class LoggedTable {
  private final TableId table;
  private final boolean captured;
  private final char identity;
  private final List<LoggedColumn> columns;
  private final SourceTables tables;
  private final RowBuilder builder = new RowBuilder(256);

  // Set at the first change: the log describes relations again also when no change follows.
  private RowSchema schema;
  private boolean ignored;
  private boolean oldRowsWanted;
  private int[] key;
  private int[] oldValues = new int[0];

  private LoggedTable(
      TableId table,
      boolean captured,
      char identity,
      List<LoggedColumn> columns,
      SourceTables tables) {
    this.table = table;
    this.captured = captured;
    this.identity = identity;
    this.columns = columns;
    this.tables = tables;
  }

  /** Reads a relation's description from behind its id. */
  static LoggedTable read(ByteBuffer message, SourceTables tables, Predicate<TableId> captured) {
    String schema = LogDecoder.string(message);
    TableId table =
        new TableId(schema.isEmpty() ? "pg_catalog" : schema, LogDecoder.string(message));
    char identity = (char) message.get();
    int count = message.getShort();
    List<LoggedColumn> columns = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      boolean identifies = (message.get() & 1) != 0;
      String name = LogDecoder.string(message);
      columns.add(new LoggedColumn(name, message.getInt(), message.getInt(), identifies));
    }
    return new LoggedTable(table, captured.test(table), identity, columns, tables);
  }

  TableId table() {
    return table;
  }

  /**
   * Whether the table's changes are captured.
   *
   * @param position of a change of it in the log
   */
  boolean isCaptured(Position position) {
    if (!captured || ignored) {
      return false;
    }
    describe(position);
    return !ignored;
  }

  /** Forgets the table's description, which may change from here on. */
  void forget() {
    schema = null;
    ignored = false;
  }

  /** Reads an insert from behind its relation. */
  RowChange insert(ByteBuffer message) {
    expect(message.get(), 'N');
    return new RowChange(schema, null, row(message, -1));
  }

  /** Reads an update from behind its relation. Without an old row its key is unchanged. */
  RowChange update(ByteBuffer message) {
    byte kind = message.get();
    if (kind == 'N') {
      Row row = row(message, -1);
      if (key.length == 0) {
        throw withoutOldRow("UPDATE");
      }
      return new RowChange(schema, schema.matchOf(row), row);
    }
    int old = message.position();
    Row match = match(message, kind);
    expect(message.get(), 'N');
    Row row = row(message, old);
    return new RowChange(
        schema,
        match,
        row,
        oldRowsWanted && kind == 'O' ? oldRow(message, old).asBefore(row) : null);
  }

  /** Reads a delete from behind its relation. */
  RowChange delete(ByteBuffer message) {
    return new RowChange(schema, match(message, message.get()), null);
  }

  private Row match(ByteBuffer message, byte kind) {
    if (kind != 'O') {
      expect(kind, 'K');
      if (key.length == 0) {
        throw withoutOldRow("UPDATE or DELETE");
      }
    }
    if (key.length == 0) {
      return row(message, -1);
    }
    columnsOf(message);
    int at = 0;
    for (int i = 0; i < columns.size(); i++) {
      boolean wanted = at < key.length && key[at] == i;
      if (wanted) {
        at++;
      }
      value(message, wanted, -1);
    }
    return builder.build();
  }

  /**
   * Reads a row. A column that the new row marks as unchanged gets the old row's value, if there is
   * one.
   *
   * @param old offset of the old row in the message; -1 if there is none
   */
  private Row row(ByteBuffer message, int old) {
    boolean repeated = old >= 0;
    if (repeated) {
      findOldValues(message, old);
    }
    columnsOf(message);
    for (int i = 0; i < columns.size(); i++) {
      value(message, true, repeated ? oldValues[i] : -1);
    }
    return builder.build();
  }

  /** Reads the complete old row. */
  private Row oldRow(ByteBuffer message, int old) {
    int back = message.position();
    message.position(old);
    Row row = row(message, -1);
    message.position(back);
    return row;
  }

  /** Stores the offset of each text of the old row in the message, -1 for none. */
  private void findOldValues(ByteBuffer message, int old) {
    int back = message.position();
    message.position(old);
    columnsOf(message);
    if (oldValues.length != columns.size()) {
      oldValues = new int[columns.size()];
    }
    for (int i = 0; i < oldValues.length; i++) {
      oldValues[i] = message.get(message.position()) == 't' ? message.position() : -1;
      value(message, false, -1);
    }
    message.position(back);
  }

  /** Reads one value. For an unchanged one the old value is used, if it is known. */
  private void value(ByteBuffer message, boolean wanted, int old) {
    byte kind = message.get();
    switch (kind) {
      case 't' -> {
        int length = message.getInt();
        if (wanted) {
          builder.add(message.array(), message.arrayOffset() + message.position(), length);
        }
        message.position(message.position() + length);
      }
      case 'n' -> {
        if (wanted) {
          builder.addNull();
        }
      }
      case 'u' -> {
        if (old >= 0) {
          builder.add(message.array(), message.arrayOffset() + old + 5, message.getInt(old + 1));
        } else if (wanted) {
          builder.addUnchanged();
        }
      }
      default ->
          throw new SluiceException.Fatal(
              "table %s: the log has a value of kind '%s'; expected text, NULL or unchanged"
                  .formatted(table, (char) kind),
              null);
    }
  }

  private void columnsOf(ByteBuffer message) {
    int count = message.getShort();
    if (count != columns.size()) {
      throw new SluiceException.Fatal(
          "table %s: the log has a row of %d columns; expected %d, as it described the table"
              .formatted(table, count, columns.size()),
          null);
    }
  }

  private void expect(byte kind, char expected) {
    if (kind != expected) {
      throw new SluiceException.Fatal(
          "table %s: the log has a row of kind '%s'; expected '%s'"
              .formatted(table, (char) kind, expected),
          null);
    }
  }

  private void describe(Position position) {
    if (schema != null) {
      return;
    }
    Optional<SourceTable> found = tables.describe(table, position);
    ignored = !found.map(SourceTable::followed).orElseGet(() -> tables.mayFollow(table));
    if (ignored) {
      return;
    }
    SourceTable described =
        found.orElseThrow(
            () ->
                new SluiceException.Fatal(
                    "table %s: the log has a change of it, but the source no longer has the table; its key is unknown"
                        .formatted(table),
                    null));
    RowSchema read = new RowSchema(described.root(), schemaColumns(described));
    key = read.key();
    requireKey(described);
    oldRowsWanted = read.hasKey() && tables.wantsOldRows(described.root());
    schema = read;
  }

  /**
   * The columns of the log's rows, described by the catalog. The catalog may lack columns of older
   * rows. If the order differs, columns exchanged their names since: their identity is unknown.
   */
  private List<Column> schemaColumns(SourceTable described) {
    Map<String, Column> known = new HashMap<>();
    described.columns().forEach(column -> known.put(column.name(), column));
    List<Column> read =
        columns.stream()
            .map(
                column ->
                    known.containsKey(column.name())
                        ? known.get(column.name())
                        : undescribed(column))
            .toList();
    return isInOrderOf(described, read)
        ? read
        : read.stream()
            .map(each -> new Column(each.name(), each.type(), each.nullable(), each.key()))
            .toList();
  }

  private static boolean isInOrderOf(SourceTable described, List<Column> read) {
    List<Column> common = read.stream().filter(described.columns()::contains).toList();
    return described.columns().stream().filter(common::contains).toList().equals(common);
  }

  /**
   * A column that was dropped since, or that the event triggers failed to report. In the second
   * case the catalog has its origin.
   */
  private Column undescribed(LoggedColumn column) {
    String type = tables.typeName(column.type(), column.modifier());
    ColumnOrigin origin =
        tables
            .inCatalog(table, column.name())
            .filter(found -> found.type().equals(type))
            .map(Column::origin)
            .orElse(ColumnOrigin.UNKNOWN);
    return new Column(column.name(), type, true, false, origin);
  }

  private void requireKey(SourceTable described) {
    List<String> wanted =
        described.columns().stream().filter(Column::key).map(Column::name).toList();
    boolean whole = identity == 'f';
    boolean same = whole || identity == 'n' || Arrays.equals(key, identifyingColumns());
    if (wanted.size() != key.length || !same) {
      throw new SluiceException.Fatal(
          "table %s: its key is now %s, but the log's rows have the columns %s and the key %s; the key was changed before these changes were read"
              .formatted(
                  table,
                  wanted,
                  columns.stream().map(LoggedColumn::name).toList(),
                  columns.stream()
                      .filter(LoggedColumn::identifies)
                      .map(LoggedColumn::name)
                      .toList()),
          null);
    }
  }

  private int[] identifyingColumns() {
    return java.util.stream.IntStream.range(0, columns.size())
        .filter(i -> columns.get(i).identifies())
        .toArray();
  }

  private SluiceException withoutOldRow(String operation) {
    return new SluiceException.Fatal(
        "table %s: an %s without the old row, and the table has no key; run ALTER TABLE %s REPLICA IDENTITY FULL, and start behind this place of the log: sluice resync, and then sluice run, make all tables equal again by difference"
            .formatted(table, operation, table.quoted()),
        null);
  }

  /**
   * @param type the type's oid
   * @param modifier the type's modifier, -1 for none
   * @param identifies whether the column belongs to the replica identity
   */
  private record LoggedColumn(String name, int type, int modifier, boolean identifies) {}
}
