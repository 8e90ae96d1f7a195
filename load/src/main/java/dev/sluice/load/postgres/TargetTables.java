package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the columns of target tables from the catalog. Owned by the thread that owns the
 * connection.
 */
public final class TargetTables {

  private static final String COLUMNS =
      """
      SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attgenerated <> ''
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind IN ('r', 'p')
      ORDER BY a.attnum
      """;

  private static final String LEAVES =
      """
      SELECT c.relname FROM pg_partition_tree(?::text::regclass) t JOIN pg_class c ON c.oid = t.relid
      WHERE t.isleaf AND t.level > 0
      """;

  private final TargetConnection connection;

  public TargetTables(TargetConnection connection) {
    this.connection = connection;
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

  /** The names of a table's leaf partitions; empty if it has none. */
  public Set<String> leaves(TableId table) {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(LEAVES)) {
      statement.setString(1, table.quoted());
      Set<String> leaves = new HashSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          leaves.add(rows.getString(1));
        }
      }
      connection.rollback();
      return leaves;
    } catch (SQLException e) {
      throw connection.errors().classify("read the partitions of " + table, e);
    }
  }

  private Optional<List<TableColumn>> read(TableId table) {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(COLUMNS)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        List<TableColumn> columns = new ArrayList<>();
        boolean there = false;
        while (rows.next()) {
          there = true;
          if (rows.getString(1) != null) {
            columns.add(new TableColumn(rows.getString(1), rows.getString(2), rows.getBoolean(3)));
          }
        }
        return there ? Optional.of(columns) : Optional.empty();
      }
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
