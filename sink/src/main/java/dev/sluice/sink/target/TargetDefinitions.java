package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Checked;
import dev.sluice.connector.api.source.TaskMark;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads and changes definitions of target tables inside the open transaction. Owned by the
 * connection's thread.
 */
public interface TargetDefinitions {

  /** A column of the target. Immutable. */
  public record FoundColumn(String name, String type, boolean notNull, boolean generated) {}

  /**
   * A primary key of the target. Immutable.
   *
   * @param columns in the key's order
   */
  public record FoundKey(String name, List<String> columns, Checked checked) {
    public FoundKey {
      columns = List.copyOf(columns);
    }
  }

  /**
   * A table of the target. Immutable.
   *
   * @param parent the table that it is a partition of; null if it is none
   * @param key the primary key; null if there is none
   */
  public record Found(
      TableId id, boolean partitioned, TableId parent, FoundKey key, List<FoundColumn> columns) {
    public Found {
      columns = List.copyOf(columns);
    }

    public boolean isPartitionOf(TableId table) {
      return table.equals(parent);
    }

    /**
     * Requires the columns of the source's definition.
     *
     * @throws SluiceException.Data if a column is missing or has another type
     */
    public void requireColumnsOf(TableDefinition definition) {
      for (ColumnDefinition column : definition.columns()) {
        String type =
            columns.stream()
                .filter(found -> found.name().equals(column.name()))
                .findFirst()
                .map(FoundColumn::type)
                .orElse("none");
        if (!type.equals(column.type())) {
          throw new SluiceException.Data(
              "target table %s exists already, and its column %s is of type %s; the source's new table %s has it of type %s. Drop the target table, or alter it"
                  .formatted(id, column.name(), type, definition.table(), column.type()),
              null);
        }
      }
    }
  }

  Optional<Found> find(TableId table) throws SQLException;

  /** Whether partitions of the source may be tables here; otherwise their root has all rows. */
  default boolean hasPartitions() {
    return true;
  }

  /** Whether a table inherits from the other without being its partition. */
  boolean inherits(TableId table, TableId parent) throws SQLException;

  boolean hasRows(TableId table) throws SQLException;

  /**
   * Creates a new table of the source before the open transaction, if DDL would commit that.
   *
   * @param table its name on the target
   * @param mark the mark of the task on tables that it creates; empty if it creates none
   * @return true if the table exists and the task created it; false if this target creates none in
   *     this way
   * @throws NeededApart if it has to be created
   * @throws SluiceException.Data if it cannot be created, or another table has its name
   */
  default boolean madeApart(TableDefinition definition, TableId table, Optional<TaskMark> mark)
      throws SQLException {
    return false;
  }

  /**
   * Alters, renames or drops a table of the source before the open transaction, if DDL would commit
   * that. Changes only what differs, since the window may be repeated after it was done.
   *
   * @return true if the table has all changes; false if this target changes none in this way
   * @throws NeededApart if it has to be changed
   * @throws SluiceException.Data if it cannot be changed, or nothing shows whether it was
   */
  default boolean changedApart(ApartChange change) throws SQLException {
    return false;
  }

  /** Creates the schema if it is missing. */
  void makeSchema(String schema) throws SQLException;

  /**
   * Runs DDL with these settings of the source's session, and restores the current ones afterwards.
   *
   * @throws SluiceException.Data if the target rejects one of the values
   */
  void runUnder(Map<String, String> settings, List<String> statements) throws SQLException;

  /**
   * The columns that the target fills by itself in rows that come without them, by name, with what
   * fills them. In the table's order; mostly none.
   */
  Map<String, Filled> filled(TableId table, List<String> columns) throws SQLException;

  /**
   * What fills a column. Immutable.
   *
   * @param by for messages
   * @param fix the statement that leaves it NULL instead
   */
  record Filled(String by, String fix) {}
}
