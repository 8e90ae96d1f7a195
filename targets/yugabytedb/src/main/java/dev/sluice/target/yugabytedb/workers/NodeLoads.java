package dev.sluice.target.yugabytedb.workers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads how busy the servers of a cluster are. Stateless. */
final class NodeLoads {
  private static final String ASKED =
      "SELECT coalesce(yb_servers.host || ':' || yb_servers.port, yb_servers_metrics.uuid),"
          + " yb_servers_metrics.status,"
          + " metrics::jsonb ->> 'cpu_usage_user',"
          + " metrics::jsonb ->> 'cpu_usage_system',"
          + " metrics::jsonb ->> 'memory_total',"
          + " metrics::jsonb ->> 'memory_available',"
          + " metrics::jsonb ->> 'tserver_root_memory_consumption',"
          + " metrics::jsonb ->> 'tserver_root_memory_soft_limit'"
          + " FROM yb_servers_metrics()"
          + " LEFT JOIN yb_servers() ON yb_servers.uuid = yb_servers_metrics.uuid";

  /** The function or a column of it does not exist, or the user may not run it. */
  private static final Set<String> NOT_TOLD = Set.of("42883", "42703", "42501");

  private NodeLoads() {}

  /** The servers that have answered; each asks the others. */
  static List<NodeLoad> read(Connection session) throws SQLException {
    List<NodeLoad> loads = new ArrayList<>();
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(ASKED)) {
      while (row.next()) {
        NodeLoad.of(
                row.getString(1),
                row.getString(2),
                new NodeLoad.Said(
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getString(6),
                    row.getString(7),
                    row.getString(8)))
            .ifPresent(loads::add);
      }
    }
    return loads;
  }

  /** Whether an error means that the cluster cannot report how busy its servers are. */
  static boolean isNotTold(SQLException error) {
    return error.getSQLState() != null && NOT_TOLD.contains(error.getSQLState());
  }
}
