package dev.sluice.connector.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.postgres.capture.SourceTable;
import java.util.List;

/**
 * A table, or view, of the source as its catalog has it. Immutable.
 *
 * @param root the partitioned table on top; the table itself where it is no partition
 * @param columns in order, dropped ones left out
 * @param partitionCondition of a partition: the SQL condition over the root's columns that its rows
 *     fulfil; null where there is none
 * @param pages size on disk in pages of the server's last look, 0 where unknown
 * @param selectable whether this user may read it
 * @param owned whether this user may publish it
 * @param rowSecurity whether policies hide rows from this user
 */
public record CatalogTable(
    TableId table,
    TableId root,
    Kind kind,
    Persistence persistence,
    ReplicaIdentity replicaIdentity,
    List<CatalogColumn> columns,
    String partitionCondition,
    long pages,
    boolean selectable,
    boolean owned,
    boolean rowSecurity) {
  /** For messages: why {@link #cannotBeFull} matters. */
  public static final String WRITERS_REFUSED =
      "PostgreSQL 18 and newer would refuse the application's own UPDATE and DELETE once it is published";

  private static final int FIRST_THAT_REFUSES = 18;

  /** What kind of relation it is. */
  public enum Kind {
    ORDINARY,
    PARTITIONED,
    FOREIGN,
    /** A view or a materialized view: loaded as a table, and not in the log. */
    VIEW
  }

  /** Whether its changes are in the log at all. */
  public enum Persistence {
    LOGGED,
    UNLOGGED,
    TEMPORARY
  }

  /** What the log tells of an old row. */
  public enum ReplicaIdentity {
    DEFAULT,
    FULL,
    INDEX,
    NOTHING
  }

  public CatalogTable {
    columns = List.copyOf(columns);
  }

  public boolean isPartition() {
    return !table.equals(root);
  }

  /** The columns that travel: all but the generated ones. */
  public List<CatalogColumn> journaledColumns() {
    return columns.stream().filter(column -> !column.generated()).toList();
  }

  /** The same as the journal's rows have them. */
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

  /** Whether the log tells which row an UPDATE or DELETE meant. */
  public boolean hasReplicaIdentity() {
    return switch (replicaIdentity) {
      case FULL -> true;
      case DEFAULT, INDEX -> hasKey();
      case NOTHING -> false;
    };
  }

  /**
   * Whether PostgreSQL would refuse the application's own UPDATE and DELETE once the table is
   * published with REPLICA IDENTITY FULL: generated columns are not published, and from version 18
   * on an identity must be.
   *
   * @param version the server's major one
   */
  public boolean cannotBeFull(int version) {
    return version >= FIRST_THAT_REFUSES && columns.stream().anyMatch(CatalogColumn::generated);
  }

  /**
   * @param followed whether the task follows it
   */
  public SourceTable forCapture(boolean followed) {
    return new SourceTable(
        table,
        root,
        rowColumns(),
        replicaIdentity == ReplicaIdentity.FULL,
        partitionCondition,
        followed);
  }
}
