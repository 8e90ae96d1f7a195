package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.TableReader;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the columns of target tables. Owned by the thread that owns the connection. */
public final class TargetTables {

  private final TargetConnection connection;
  private final TableReader reader;

  public TargetTables(TargetConnection connection) {
    this.connection = connection;
    this.reader = LoadDialects.of(connection.dialect()).tables();
  }

  /**
   * The columns of each table, in catalog order.
   *
   * @throws SluiceException.Fatal if a table does not exist; names each missing table
   */
  public Map<TableId, List<TableColumn>> columns(List<TableId> tables) {
    Map<TableId, List<TableColumn>> found = new LinkedHashMap<>();
    List<Problem> missing = new ArrayList<>();
    for (TableId table : tables) {
      read(table)
          .ifPresentOrElse(columns -> found.put(table, columns), () -> missing.add(missing(table)));
    }
    connection.rollback();
    if (!missing.isEmpty()) {
      throw new SluiceException.Fatal(missing);
    }
    return found;
  }

  /** The columns of a table in catalog order; empty if it does not exist. */
  public Optional<List<TableColumn>> find(TableId table) {
    Optional<List<TableColumn>> columns = read(table);
    connection.rollback();
    return columns;
  }

  /** The columns that the target computes, of each of these tables that has some. */
  public Map<TableId, Set<String>> generatedColumns(List<TableId> tables) {
    try {
      Map<TableId, Set<String>> generated = reader.generatedColumns(connection, tables);
      connection.rollback();
      return generated;
    } catch (SQLException e) {
      throw connection.errors().classify("read the generated columns of the target's tables", e);
    }
  }

  /** The names of a table's leaf partitions; empty if it has none. */
  public Set<String> leaves(TableId table) {
    try {
      Set<String> leaves = reader.leaves(connection, table);
      connection.rollback();
      return leaves;
    } catch (SQLException e) {
      throw connection.errors().classify("read the partitions of " + table, e);
    }
  }

  /** The names in the schemas of these tables that are still taken when the tables are dropped. */
  public Set<TableId> namesBeside(List<TableId> tables) {
    try {
      Set<TableId> names = reader.namesBeside(connection, tables);
      connection.rollback();
      return names;
    } catch (SQLException e) {
      throw connection.errors().classify("read the names beside the target's tables", e);
    }
  }

  private Optional<List<TableColumn>> read(TableId table) {
    try {
      return reader.columns(connection, table);
    } catch (SQLException e) {
      throw connection.errors().classify("read the catalog entry of " + table, e);
    }
  }

  private static Problem missing(TableId table) {
    return new Problem(
        "target table " + table,
        "is not there",
        "an ordinary or partitioned table",
        "Create it, or set TargetTablePrepMode to DROP_AND_CREATE.");
  }
}
