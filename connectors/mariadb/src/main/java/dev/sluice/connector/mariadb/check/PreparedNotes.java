package dev.sluice.connector.mariadb.check;

import dev.sluice.connector.mariadb.server.PreparedTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Notes about prepared transactions of XA. They do not prevent a start: a snapshot waits for their
 * end, and they may end at once. Stateless.
 */
final class PreparedNotes {
  private PreparedNotes() {}

  static List<String> of(Connection connection) throws SQLException {
    Optional<PreparedTransactions> prepared = PreparedTransactions.read(connection);
    if (prepared.isEmpty()) {
      return List.of(
          "whether transactions of XA are prepared is not known: this user may not run XA RECOVER."
              + " The commit of one that is prepared before the capture begins stops the task");
    }
    return prepared.get().isEmpty()
        ? List.of()
        : List.of(
            ("transactions of XA are prepared: %s. A load waits until they end; a task that goes on"
                    + " stops at the commit of one that was prepared before its start")
                .formatted(prepared.get()));
  }
}
