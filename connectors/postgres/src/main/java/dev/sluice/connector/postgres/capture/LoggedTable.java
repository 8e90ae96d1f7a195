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
 * A table in the shape in which the log tells of it, and the decoder of its rows. The key is the
 * replica identity's as the source's catalog has it; of the old row only the key columns are
 * believed, unless the log has whole old rows. Owned by the thread that decodes the log.
 */
final class LoggedTable {
  private final TableId table;
  private final boolean captured;
  private final char identity;
  private final List<LoggedColumn> columns;
  private final SourceTables tables;
  private final RowBuilder builder = new RowBuilder(256);

  // The catalog is asked at the first change: relations are told again without any, too.
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

  /** Whether its changes are for this task; a change of it lies at that place of the log. */
  boolean isCaptured(Position place) {
    if (!captured || ignored) {
      return false;
    }
    describe(place);
    return !ignored;
  }

  /** It may be another one from here on. */
  void forget() {
    schema = null;
    ignored = false;
  }

  /** Reads an insert from behind its relation. */
  RowChange insert(ByteBuffer message) {
    expect(message.get(), 'N');
    return new RowChange(schema, null, row(message, -1));
  }

  /** Reads an update from behind its relation; without an old row the key is the same. */
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
   * Reads a row. Where the log repeats the old value of a column that the new row leaves unchanged,
   * the new row has that value.
   *
   * @param old where in the message the old row begins; -1 where there is none
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

  /** Reads the old row again, whole. */
  private Row oldRow(ByteBuffer message, int old) {
    int back = message.position();
    message.position(old);
    Row row = row(message, -1);
    message.position(back);
    return row;
  }

  /** Remembers where in the message each text of the old row stands, -1 for none. */
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

  /** Reads one value; where it is unchanged and the old one is known, takes that. */
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
              "table %s: the log has a value of kind '%s', expected text, NULL or unchanged"
                  .formatted(table, (char) kind),
              null);
    }
  }

  private void columnsOf(ByteBuffer message) {
    int count = message.getShort();
    if (count != columns.size()) {
      throw new SluiceException.Fatal(
          "table %s: the log has a row of %d columns, but has described %d"
              .formatted(table, count, columns.size()),
          null);
    }
  }

  private void expect(byte kind, char expected) {
    if (kind != expected) {
      throw new SluiceException.Fatal(
          "table %s: the log has a row of kind '%s' where '%s' is expected"
              .formatted(table, (char) kind, expected),
          null);
    }
  }

  private void describe(Position place) {
    if (schema != null) {
      return;
    }
    Optional<SourceTable> found = tables.describe(table, place);
    ignored = !found.map(SourceTable::followed).orElseGet(() -> tables.mayFollow(table));
    if (ignored) {
      return;
    }
    SourceTable described =
        found.orElseThrow(
            () ->
                new SluiceException.Fatal(
                    "table %s: the log has a change of it, but the source has no such table any more; its key is not known"
                        .formatted(table),
                    null));
    RowSchema read = new RowSchema(described.root(), schemaColumns(described));
    key = read.key();
    requireKey(described);
    oldRowsWanted = read.hasKey() && tables.wantsOldRows(described.root());
    schema = read;
  }

  /**
   * The catalog may have fewer columns by now than the older rows that are being read. Where it has
   * them in another order, names were given to other columns since: which is which is not known.
   */
  private List<Column> schemaColumns(SourceTable described) {
    Map<String, Column> known = new HashMap<>();
    described.columns().forEach(column -> known.put(column.name(), column));
    List<Column> read =
        columns.stream()
            .map(
                column ->
                    known.containsKey(column.name()) ? known.get(column.name()) : untold(column))
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
   * A column that is gone by now, or that the event triggers failed to report: then the catalog
   * says what older rows hold there.
   */
  private Column untold(LoggedColumn column) {
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
          "table %s: its key is now %s, but the log's rows have the columns %s and the key %s; the key was changed while changes waited to be read"
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
        "table %s: an %s came without the old row, and the table has no key; run ALTER TABLE %s REPLICA IDENTITY FULL and load the table again"
            .formatted(table, operation, table.quoted()),
        null);
  }

  /**
   * @param type its object id
   * @param modifier of the type
   * @param identifies whether it belongs to the replica identity
   */
  private record LoggedColumn(String name, int type, int modifier, boolean identifies) {}
}
