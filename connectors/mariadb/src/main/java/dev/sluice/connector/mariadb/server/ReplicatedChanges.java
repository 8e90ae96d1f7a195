package dev.sluice.connector.mariadb.server;

import dev.sluice.config.document.Problem;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The changes that a server receives from another one, as a replica or in a cluster. Its own log
 * lacks them unless a setting says otherwise. Stateless.
 */
public final class ReplicatedChanges {
  private ReplicatedChanges() {}

  /**
   * Whether the server receives such changes, or has received some. Stopped replication counts as
   * well: its changes are missing in the log for good, and it may be started at any time.
   *
   * @throws SQLException if the user may not ask for it, too
   */
  public static boolean reach(MariadbQuery query) throws SQLException {
    if (query.flavour() == Flavour.MYSQL) {
      return query.row("SHOW REPLICA STATUS").isPresent() || query.isNodeOfGalera();
    }
    return query.row("SELECT 1 FROM DUAL WHERE @@global.gtid_slave_pos <> ''").isPresent()
        || query.isNodeOfGalera()
        || query
            .row("SHOW GLOBAL STATUS LIKE 'Slaves_running'")
            .filter(row -> !row[1].equals("0"))
            .isPresent();
  }

  /** The problem that the log of the server lacks them; empty if it has them, or there are none. */
  public static Optional<Problem> missingInLog(MariadbQuery query) throws SQLException {
    String setting = query.flavour() == Flavour.MYSQL ? "log_replica_updates" : "log_slave_updates";
    boolean off = query.row("SELECT 1 FROM DUAL WHERE NOT @@global." + setting).isPresent();
    return off && reach(query)
        ? Optional.of(
            new Problem(
                "source",
                "the server replicates from another one, and %s is OFF: its log lacks those changes"
                    .formatted(setting),
                "the server that applications write to, or a replica that logs what it replicates",
                "Let source.url lead to the new primary: a start there asks whether its log has all"
                    + " that the target lacks. To set %s = ON, or to end the replication, does not bring back what was not logged"
                        .formatted(setting)))
        : Optional.empty();
  }
}
