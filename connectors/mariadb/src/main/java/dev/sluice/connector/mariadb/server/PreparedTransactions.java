package dev.sluice.connector.mariadb.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The transactions of XA that are prepared and neither committed nor rolled back. The binary log
 * has the changes of one where it was prepared: whoever begins to read behind that place gets only
 * its commit. Immutable.
 *
 * @param ids as a statement names them
 */
public record PreparedTransactions(List<String> ids) {

  public PreparedTransactions {
    ids = List.copyOf(ids);
  }

  /** Those of the whole server; empty if this user may not ask. */
  public static Optional<PreparedTransactions> read(Connection connection) throws SQLException {
    try {
      return Optional.of(
          new PreparedTransactions(
              new MariadbQuery(connection)
                  .rows("XA RECOVER FORMAT = 'SQL'").stream().map(row -> row[3]).toList()));
    } catch (SQLException e) {
      if (!MariadbFailures.isMissingRight(e)) {
        throw e;
      }
      return Optional.empty();
    }
  }

  public boolean isEmpty() {
    return ids.isEmpty();
  }

  /** For messages. */
  @Override
  public String toString() {
    return String.join("; ", ids);
  }
}
