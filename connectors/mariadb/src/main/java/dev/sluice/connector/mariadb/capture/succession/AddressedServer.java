package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.Map;

/**
 * The server to which the source's address leads at present. Immutable.
 *
 * @param identity as that of {@link LogServer}
 * @param leads whether it takes writes from applications, and is not a member of a multi-primary
 *     cluster
 * @param executed the transactions that it has executed
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
