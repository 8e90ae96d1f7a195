package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads from the target's catalog which rows a table can take. Stateless, threadsafe. */
public interface TableReader {

  /** The columns of a table in catalog order; empty if it does not exist. */
  Optional<List<TableColumn>> columns(TargetConnection connection, TableId table)
      throws SQLException;

  /**
   * The columns that the target computes, of each table that has some. One question for all tables:
   * applications may wait for it.
   */
  Map<TableId, Set<String>> generatedColumns(TargetConnection connection, List<TableId> tables)
      throws SQLException;

  /** The names of a table's leaf partitions; empty if it has none. */
  Set<String> leaves(TargetConnection connection, TableId table) throws SQLException;

  /**
   * The names that tables, indexes and sequences share in the schemas of some tables, without those
   * that are free once these tables are dropped.
   */
  Set<TableId> namesBeside(TargetConnection connection, List<TableId> tables) throws SQLException;
}
