package dev.sluice.connector.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.postgres.capture.SourceTable;
import java.util.List;

/**
 * A table or view in the source's catalog. Immutable.
 *
 * @param root the root of its partition tree; the table itself if it is no partition
 * @param columns in order, without dropped ones
 * @param partitionCondition of a partition: the SQL condition over the root's columns that its rows
 *     fulfil; null if there is none
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
    ReplicaIdentity replicaIdentity,
    List<CatalogColumn> columns,
    String partitionCondition,
    long pages,
    boolean selectable,
    boolean owned,
    boolean rowSecurity) {
  /** For messages: the consequence of {@link #cannotBeFull}. */
  public static final String WRITERS_REFUSED =
      "PostgreSQL 18 and newer would refuse the application's own UPDATE and DELETE once it is published";

  private static final int FIRST_THAT_REFUSES = 18;

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
  public boolean hasReplicaIdentity() {
    return switch (replicaIdentity) {
      case FULL -> true;
      case DEFAULT, INDEX -> hasKey();
      case NOTHING -> false;
    };
  }

  /**
   * Whether PostgreSQL refuses the application's own UPDATE and DELETE if the table is published
   * with REPLICA IDENTITY FULL. From version 18 on all columns of an identity must be published,
   * and generated ones are not.
   *
   * @param version the server's major one
   */
  public boolean cannotBeFull(int version) {
    return version >= FIRST_THAT_REFUSES && columns.stream().anyMatch(CatalogColumn::generated);
  }

  /**
   * @param followed whether the task replicates it
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
