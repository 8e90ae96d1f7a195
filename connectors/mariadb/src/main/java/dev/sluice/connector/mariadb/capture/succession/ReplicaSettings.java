package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks the settings of a MariaDB server whose log is to replace another server's. Stateless. */
final class ReplicaSettings {
  private static final String FILTER = "replicate_";

  private static final Set<String> NO_FILTERS =
      Set.of("replicate_annotate_row_events", "replicate_events_marked_for_skip");

  private static final int MISSING_RIGHT = 1227;

  private ReplicaSettings() {}

  /** The first setting because of which transactions may be missing in the log. */
  static Optional<Problem> problem(MariadbQuery query) throws SQLException {
    if (value(query, "log_slave_updates").equals("0")) {
      return Optional.of(
          problem(
              "log_slave_updates is OFF: its log lacks what it replicated",
              "log_slave_updates = ON, since before the change of the primary"));
    }
    if (query.isNodeOfGalera()) {
      return Optional.of(
          problem(
              "it belongs to a cluster of Galera, whose servers may number transactions each by itself",
              "a server that replicates from the former one"));
    }
    Optional<List<Map<String, String>>> connections = connections(query);
    if (connections.isEmpty()) {
      return Optional.of(
          problem(
              "the user of source.url may not see by which filters it replicated",
              "the right REPLICA MONITOR: GRANT REPLICA MONITOR ON *.*"));
    }
    for (Map<String, String> connection : connections.get()) {
      for (Map.Entry<String, String> each : connection.entrySet()) {
        if (each.getKey().toLowerCase(Locale.ROOT).startsWith(FILTER)
            && !each.getValue().isEmpty()) {
          return Optional.of(
              problem(
                  "%s = %s".formatted(each.getKey(), each.getValue()),
                  "a server that replicated everything"));
        }
      }
    }
    for (Map.Entry<String, String> each : query.variables().entrySet()) {
      if (each.getKey().startsWith(FILTER)
          && !NO_FILTERS.contains(each.getKey())
          && !each.getValue().isEmpty()) {
        return Optional.of(
            problem(
                "%s = %s".formatted(each.getKey(), each.getValue()),
                "a server that replicated everything"));
      }
    }
    Optional<String[]> status = query.row(query.flavour().logStatus());
    if (status.isPresent() && !(status.get()[2] + status.get()[3]).isEmpty()) {
      return Optional.of(
          problem("binlog_do_db or binlog_ignore_db is set", "a log with all databases"));
    }
    return Optional.empty();
  }

  /**
   * The server's replication connections: filters of a named one are not among the server's
   * variables. Empty if the user may not see them.
   */
  private static Optional<List<Map<String, String>>> connections(MariadbQuery query)
      throws SQLException {
    try {
      return Optional.of(query.named("SHOW ALL SLAVES STATUS"));
    } catch (SQLException e) {
      if (e.getErrorCode() != MISSING_RIGHT) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private static String value(MariadbQuery query, String setting) throws SQLException {
    String value = query.row("SELECT @@global." + setting).orElseThrow()[0];
    return value == null ? "" : value;
  }

  /** A problem of the server that is to replace the former one. */
  static Problem problem(String found, String expected) {
    return new Problem(
        "source, if it is a replica of the former one",
        found,
        expected,
        "Let source.url lead to a server that has all transactions of the former one");
  }
}
