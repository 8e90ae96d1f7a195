package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * A table as the log describes it, and the decoder of its changes. The key is that of the replica
 * identity in the source's catalog. Of an old row only the key columns are used, unless the log has
 * complete old rows. Owned by the thread that decodes the log.
 */
final class LoggedTable {
  private final TableId table;
  private final boolean captured;
  private final char identity;
  private final List<LoggedColumn> columns;
  private final SourceTables tables;
  private final TupleReader rows;

  // Set at the first change: the log describes relations again also when no change follows.
  private RowSchema schema;
  private boolean ignored;
  private boolean oldRowsWanted;
  private int[] key;

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
    this.rows = new TupleReader(table, columns.size());
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
    rows.expect(message.get(), 'N');
    return new RowChange(schema, null, rows.read(message));
  }

  /** Reads an update from behind its relation. Without an old row its key is unchanged. */
  RowChange update(ByteBuffer message) {
    byte kind = message.get();
    if (kind == 'N') {
      Row row = rows.read(message);
      if (key.length == 0) {
        throw withoutOldRow("UPDATE");
      }
      return new RowChange(schema, schema.matchOf(row), row);
    }
    int old = message.position();
    Row match = match(message, kind);
    rows.expect(message.get(), 'N');
    Row row = rows.readBehind(old, message);
    return new RowChange(
        schema,
        match,
        row,
        oldRowsWanted && kind == 'O' ? rows.readAt(old, message).asBefore(row) : null);
  }

  /** Reads a delete from behind its relation. */
  RowChange delete(ByteBuffer message) {
    return new RowChange(schema, match(message, message.get()), null);
  }

  private Row match(ByteBuffer message, byte kind) {
    if (kind != 'O') {
      rows.expect(kind, 'K');
      if (key.length == 0) {
        throw withoutOldRow("UPDATE or DELETE");
      }
    }
    return key.length == 0 ? rows.read(message) : rows.read(message, key);
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
    return IntStream.range(0, columns.size()).filter(i -> columns.get(i).identifies()).toArray();
  }

  private SluiceException withoutOldRow(String operation) {
    return new SluiceException.Fatal(
        "table %s: an %s without the old row, and the table has no key; run ALTER TABLE %s REPLICA IDENTITY FULL, and start after this place of the log: sluice resync, and then sluice run, make all tables equal again by difference"
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
