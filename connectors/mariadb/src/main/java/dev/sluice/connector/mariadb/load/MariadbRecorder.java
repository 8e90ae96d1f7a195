package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RecordedTables;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRules;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.catalog.TableIdentities;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Records the current definitions of tables, with an identity that distinguishes a table from a
 * later one with the same name. Owned by the thread that owns the connection, which has no
 * snapshot.
 */
public final class MariadbRecorder {
  private final Connection connection;
  private final String database;

  public MariadbRecorder(Connection connection, String database) {
    this.connection = connection;
    this.database = database;
  }

  /**
   * Records tables, in the given order.
   *
   * @throws SluiceException.Overtaken naming every table that does not exist
   */
  public List<RecordedTable> record(List<TableId> tables) {
    try {
      return recorded(DatabaseTables.read(connection, database), tables);
    } catch (SQLException e) {
      throw MariadbFailures.classify("read the definitions of tables", e);
    }
  }

  /**
   * The same with segments.
   *
   * @throws SluiceException.Overtaken naming every table that does not exist
   * @throws SluiceException.Fatal with the problems of the parallel-load rules
   */
  public RecordedTables record(List<TableId> tables, SegmentRules rules) {
    try {
      DatabaseTables catalog = DatabaseTables.read(connection, database);
      List<RecordedTable> recorded = recorded(catalog, tables);
      SegmentPlan plan = new SegmentPlan(connection, rules.parallel());
      Map<TableId, Long> rows = new LinkedHashMap<>();
      Map<TableId, List<Segment>> segments = new LinkedHashMap<>();
      for (TableId name : tables) {
        MariadbTable table = catalog.table(name).orElseThrow();
        rows.put(name, table.rows());
        segments.put(name, plan.of(table, rules.size()));
      }
      return new RecordedTables(recorded, rows, segments);
    } catch (SQLException e) {
      throw e.getErrorCode() == MariadbFailures.NO_SUCH_TABLE
          ? new SluiceException.Overtaken(
              "a table was dropped or renamed meanwhile: " + e.getMessage(), e)
          : MariadbFailures.classify("divide tables into segments", e);
    }
  }

  /** The table's current definition; empty if it does not exist. */
  Optional<RecordedTable> find(TableId table) {
    try {
      Optional<MariadbTable> found = DatabaseTables.read(connection, database).table(table);
      return found.isEmpty() ? Optional.empty() : record(found.get());
    } catch (SQLException e) {
      throw MariadbFailures.classify("read the definition of " + table, e);
    }
  }

  private List<RecordedTable> recorded(DatabaseTables catalog, List<TableId> tables)
      throws SQLException {
    List<RecordedTable> recorded = new ArrayList<>();
    List<TableId> gone = new ArrayList<>();
    for (TableId name : tables) {
      Optional<MariadbTable> found = catalog.table(name);
      Optional<RecordedTable> one = found.isEmpty() ? Optional.empty() : record(found.get());
      one.ifPresentOrElse(recorded::add, () -> gone.add(name));
    }
    if (!gone.isEmpty()) {
      throw new SluiceException.Overtaken(
          "tables that were selected do not exist any more: " + gone, null);
    }
    return recorded;
  }

  private Optional<RecordedTable> record(MariadbTable table) throws SQLException {
    return TableIdentities.of(connection, table.table())
        .map(
            identity ->
                new RecordedTable(
                    table.table(),
                    identity,
                    table.mappedColumns(),
                    table.keyColumns(),
                    false,
                    List.of(
                        new RecordedLeaf(
                            table.table(),
                            identity,
                            identity,
                            table.columns().stream().map(Object::toString).toList(),
                            table.bytes(),
                            0,
                            false)),
                    Optional.empty(),
                    table.computedColumns()));
  }
}
