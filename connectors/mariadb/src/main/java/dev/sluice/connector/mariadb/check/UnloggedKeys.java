package dev.sluice.connector.mariadb.check;

import dev.sluice.connector.mariadb.catalog.MariadbForeignKey;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Foreign keys of which the log may lack what they change. Immutable.
 *
 * @param reason why it may, as a clause
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
   * Asks the server. InnoDB follows foreign keys without the log; MySQL has followed them itself
   * since 9.6, and logs the rows, except for events of older servers that it replicates.
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

  /** Whether MySQL replicates; without REPLICATION CLIENT it is taken for a replica. */
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
