package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The schema of a source table's rows in the journal: columns, and the key of the replica identity.
 * Immutable. Journaled changes refer to a schema by its fingerprint; schemas with equal content
 * have the same one.
 */
public final class RowSchema {
  private final TableId table;
  private final List<Column> columns;
  private final int[] key;
  private final long fingerprint;

  public RowSchema(TableId table, List<Column> columns) {
    this.table = table;
    this.columns = List.copyOf(columns);
    this.key = IntStream.range(0, columns.size()).filter(i -> columns.get(i).key()).toArray();
    this.fingerprint = Fingerprint.of(SchemaCodec.encode(this));
  }

  /** The source table; for a partition its root. */
  public TableId table() {
    return table;
  }

  public List<Column> columns() {
    return columns;
  }

  /** A copy of the key columns' indexes, ascending; empty if the table has no key. */
  public int[] key() {
    return key.clone();
  }

  /** Whether the table has a key; without one its rows are identified by all columns. */
  public boolean hasKey() {
    return key.length > 0;
  }

  /** The number of columns that identify a row on the target: the key's, or all. */
  public int matchColumnCount() {
    return hasKey() ? key.length : columns.size();
  }

  public long fingerprint() {
    return fingerprint;
  }

  /** The key of a complete row, or the row itself if the table has no key. */
  public Row matchOf(Row row) {
    return hasKey() ? row.project(key) : row;
  }

  /** Whether {@link #matchOf} would return that match for the row; cheaper than a call of it. */
  public boolean isMatchOf(Row match, Row row) {
    return hasKey() ? row.projectsTo(key, match) : row.equals(match);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowSchema that
        && table.equals(that.table)
        && columns.equals(that.columns);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(fingerprint);
  }

  @Override
  public String toString() {
    return table + "#" + Long.toHexString(fingerprint);
  }
}
