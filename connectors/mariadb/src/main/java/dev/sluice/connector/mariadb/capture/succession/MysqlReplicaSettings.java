package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks the settings of a MySQL server whose log is to replace another server's. A transaction
 * that a replication filter skipped is in its log under the same GTID, without rows. Stateless.
 */
final class MysqlReplicaSettings {
  private static final String FILTER = "Replicate_";

  /** Filters that a promoted server still has. */
  private static final String GLOBAL_FILTERS =
      """
      SELECT FILTER_NAME, FILTER_RULE FROM performance_schema.replication_applier_global_filters
      WHERE FILTER_RULE <> ''
      """;

  /** ER_TABLEACCESS_DENIED_ERROR, ER_SPECIFIC_ACCESS_DENIED_ERROR. */
  private static final List<Integer> MISSING_RIGHT = List.of(1142, 1227);

  private MysqlReplicaSettings() {}

  /**
   * The first setting because of which transactions may be missing in the log, or have other GTIDs.
   */
  static Optional<Problem> problem(MariadbQuery query) throws SQLException {
    Map<String, String> variables = query.variables();
    String mode = variables.getOrDefault("gtid_mode", "");
    if (!mode.equals("ON")) {
      return found(
          "gtid_mode is " + mode, "gtid_mode = ON: others log transactions without a GTID");
    }
    if (!variables.getOrDefault("log_replica_updates", "").equals("ON")) {
      return found(
          "log_replica_updates is OFF: its log lacks what it replicated",
          "log_replica_updates = ON, since before the change of the primary");
    }
    String group = variables.getOrDefault("group_replication_group_name", "");
    if (!group.isEmpty()) {
      return found(
          "it belongs to a group of Group Replication or InnoDB Cluster (group_replication_group_name = %s), whose log was not tried"
              .formatted(group),
          "a server that replicates from the former one");
    }
    if (query.isNodeOfGalera()) {
      return found(
          "it belongs to a cluster of Galera, whose log was not tried",
          "a server that replicates from the former one");
    }
    Optional<Problem> log = ofLog(query);
    return log.isPresent() ? log : filters(query, variables);
  }

  private static Optional<Problem> ofLog(MariadbQuery query) throws SQLException {
    return query
        .row(query.flavour().logStatus())
        .filter(status -> !(status[2] + status[3]).isEmpty())
        .flatMap(
            any -> found("binlog_do_db or binlog_ignore_db is set", "a log with all databases"));
  }

  private static Optional<Problem> filters(MariadbQuery query, Map<String, String> variables)
      throws SQLException {
    for (Map<String, String> channel : query.named("SHOW REPLICA STATUS")) {
      for (Map.Entry<String, String> each : channel.entrySet()) {
        if (each.getKey().startsWith(FILTER) && !each.getValue().isEmpty()) {
          return filter(each.getKey(), each.getValue());
        }
      }
    }
    if (!variables.getOrDefault("performance_schema", "").equals("ON")) {
      return found(
          "performance_schema is OFF, and nothing else shows with which filters a promoted server replicated",
          "performance_schema = ON");
    }
    try {
      Optional<String[]> global = query.row(GLOBAL_FILTERS);
      return global.isPresent() ? filter(global.get()[0], global.get()[1]) : Optional.empty();
    } catch (SQLException e) {
      if (!MISSING_RIGHT.contains(e.getErrorCode())) {
        throw e;
      }
      return found(
          "the user of source.url may not see by which filters it replicated",
          "the right: GRANT SELECT ON performance_schema.replication_applier_global_filters");
    }
  }

  private static Optional<Problem> filter(String name, String value) {
    return found("%s = %s".formatted(name, value), "a server that replicated everything");
  }

  private static Optional<Problem> found(String found, String expected) {
    return Optional.of(ReplicaSettings.problem(found, expected));
  }
}
