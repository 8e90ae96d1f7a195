package dev.sluice.connector.api.source.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import java.util.List;

/**
 * A table or view in the source's catalog. Immutable.
 *
 * @param root the root of its partition tree; the table itself if it is no partition
 * @param columns in order, without dropped ones
 * @param partitionCondition of a partition: the condition over the root's columns that its rows
 *     fulfil, in PostgreSQL's SQL, since a target deletes by it; null if there is none
 * @param pages size in pages by the server's statistics, 0 if unknown
 * @param selectable whether this user may read it
 * @param owned whether this user may publish it
 * @param rowSecurity whether policies hide rows from this user
 */
public record CatalogTable(
    TableId table,
    TableId root,
    Kind kind,
    Persistence persistence,
    OldRow oldRow,
    List<CatalogColumn> columns,
    String partitionCondition,
    long pages,
    boolean selectable,
    boolean owned,
    boolean rowSecurity) {
  /** The kind of relation. */
  public enum Kind {
    ORDINARY,
    PARTITIONED,
    FOREIGN,
    /** A view or a materialized view: loaded as a table, not replicated. */
    VIEW
  }

  /** Whether its changes are in the log. */
  public enum Persistence {
    LOGGED,
    UNLOGGED,
    TEMPORARY
  }

  /** Which columns of an old row are in the log. */
  public enum OldRow {
    /** The primary key; nothing if there is none. */
    PRIMARY_KEY,
    ALL_COLUMNS,
    /** Another key than the primary one. */
    OTHER_KEY,
    NOTHING
  }

  public CatalogTable {
    columns = List.copyOf(columns);
  }

  /** The same table under another name. */
  public CatalogTable named(TableId name) {
    return new CatalogTable(
        name,
        isPartition() ? root : name,
        kind,
        persistence,
        oldRow,
        columns,
        partitionCondition,
        pages,
        selectable,
        owned,
        rowSecurity);
  }

  public boolean isPartition() {
    return !table.equals(root);
  }

  /** The replicated columns: all except generated ones. */
  public List<CatalogColumn> journaledColumns() {
    return columns.stream().filter(column -> !column.generated()).toList();
  }

  /** The replicated columns in the form of the journal's rows. */
  public List<Column> rowColumns() {
    return journaledColumns().stream()
        .map(
            column ->
                new Column(
                    column.name(), column.type(), column.nullable(), column.key(), column.origin()))
        .toList();
  }

  public boolean hasKey() {
    return columns.stream().anyMatch(CatalogColumn::key);
  }

  /** Whether the log identifies the row of an UPDATE or DELETE. */
  public boolean identifiesOldRows() {
    return switch (oldRow) {
      case ALL_COLUMNS -> true;
      case PRIMARY_KEY, OTHER_KEY -> hasKey();
      case NOTHING -> false;
    };
  }
}
