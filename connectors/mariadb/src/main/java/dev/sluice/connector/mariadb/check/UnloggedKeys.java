package dev.sluice.connector.mariadb.check;

import dev.sluice.connector.mariadb.catalog.MariadbForeignKey;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Foreign keys whose changes may be missing in the log. Immutable.
 *
 * @param reason why they may be missing, as a clause
 */
record UnloggedKeys(List<MariadbForeignKey> keys, String reason) {
  /** A setting of MySQL: whether InnoDB follows foreign keys. */
  private static final String INNODB_FOLLOWS = "innodb_native_foreign_keys";

  private static final String NEVER = "the server does not log what that changes";

  private static final String OF_OLDER =
      "it replicates: what that changes is not in its log, for a change that comes from a server"
          + " older than 9.6";

  UnloggedKeys {
    keys = List.copyOf(keys);
  }

  /**
   * Reads them from the server. InnoDB executes actions of foreign keys without logging them. MySQL
   * executes them itself since 9.6 and logs the rows, except for replicated events of older
   * servers.
   *
   * @return nothing without PROCESS, which is a problem of its own
   */
  static UnloggedKeys read(MariadbServer server, Connection connection) throws SQLException {
    MariadbQuery query = new MariadbQuery(connection);
    boolean followsItself =
        query.variables().getOrDefault(INNODB_FOLLOWS, "ON").equalsIgnoreCase("OFF");
    if (followsItself && !replicates(query)) {
      return new UnloggedKeys(List.of(), NEVER);
    }
    try {
      return new UnloggedKeys(
          MariadbForeignKey.read(connection, server.database()), followsItself ? OF_OLDER : NEVER);
    } catch (SQLException e) {
      if (!MariadbFailures.isMissingRight(e)) {
        throw e;
      }
      return new UnloggedKeys(List.of(), NEVER);
    }
  }

  /** Whether MySQL is a replica; without REPLICATION CLIENT that is assumed. */
  private static boolean replicates(MariadbQuery query) throws SQLException {
    try {
      return query.row("SHOW REPLICA STATUS").isPresent();
    } catch (SQLException e) {
      if (!MariadbFailures.isMissingRight(e)) {
        throw e;
      }
      return true;
    }
  }
}
