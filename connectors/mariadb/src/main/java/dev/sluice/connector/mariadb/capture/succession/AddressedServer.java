package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.Map;

/**
 * The server to which the source's address leads now. Immutable.
 *
 * @param identity as that of {@link LogServer}
 * @param leads whether applications may write to it, and it is no member of a cluster whose members
 *     all take writes
 * @param executed the transactions that it has
 */
record AddressedServer(String identity, boolean leads, ExecutedTransactions executed) {
  static AddressedServer read(MariadbQuery query) throws SQLException {
    Map<String, String> role = query.variables("read_only", "group_replication_group_name");
    return new AddressedServer(
        LogServer.identity(query),
        "OFF".equals(role.get("read_only"))
            && role.getOrDefault("group_replication_group_name", "").isEmpty()
            && !query.isNodeOfGalera(),
        ExecutedTransactions.read(query));
  }
}
