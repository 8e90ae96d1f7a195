package dev.sluice.connector.api;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The columns of a source table's rows as they are in the journal, with the key that the replica
 * identity gives. Immutable; two schemas with equal content have the same fingerprint, by which
 * journaled changes refer to it.
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

  /** The source table; for a leaf of a partitioned table, its root. */
  public TableId table() {
    return table;
  }

  public List<Column> columns() {
    return columns;
  }

  /** Indexes of the key columns, ascending; a copy. Empty where the table has no key. */
  public int[] key() {
    return key.clone();
  }

  /** Without a key a table is a multiset of whole rows. */
  public boolean hasKey() {
    return key.length > 0;
  }

  /** The columns by which a row is matched on the target: the key's, or all. */
  public int matchColumnCount() {
    return hasKey() ? key.length : columns.size();
  }

  public long fingerprint() {
    return fingerprint;
  }

  /** The key of a whole row, or the row itself where the table has no key. */
  public Row matchOf(Row row) {
    return hasKey() ? row.project(key) : row;
  }

  /** Whether that is what {@link #matchOf} gives for the row; cheaper than asking for it. */
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
