package dev.sluice.connector.postgres.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.List;
import java.util.Objects;

/**
 * A published table as the source's catalog describes it. Immutable.
 *
 * @param table the published table: an ordinary table, or a leaf of a partitioned one
 * @param root the table under which its changes are journaled; the table itself unless it is a leaf
 * @param columns its columns in order; the key is that of the replica identity
 * @param wholeRowsLogged whether the log has the complete old row (replica identity FULL)
 * @param partitionCondition of a leaf: the SQL condition over the root's columns that its rows
 *     fulfil; null if there is none
 * @param followed whether the task replicates it; the publication may also have other tables
 */
public record SourceTable(
    TableId table,
    TableId root,
    List<Column> columns,
    boolean wholeRowsLogged,
    String partitionCondition,
    boolean followed) {

  public SourceTable {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(root, "root");
    columns = List.copyOf(columns);
  }

  /**
   * The table as the catalog has it now.
   *
   * @param followed whether the task replicates it
   */
  public static SourceTable of(CatalogTable table, boolean followed) {
    return new SourceTable(
        table.table(),
        table.root(),
        table.rowColumns(),
        table.oldRow() == CatalogTable.OldRow.ALL_COLUMNS,
        table.partitionCondition(),
        followed);
  }

  public boolean hasKey() {
    return columns.stream().anyMatch(Column::key);
  }

  /** A copy that is marked as not replicated by the task. */
  public SourceTable notFollowed() {
    return new SourceTable(table, root, columns, wholeRowsLogged, partitionCondition, false);
  }
}
