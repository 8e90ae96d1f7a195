package dev.sluice.connector.postgres.ddl;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Waits until a transaction from the log is visible to other sessions. The log is sent when the
 * commit is on disk; the transaction becomes visible only after that, with synchronous standbys
 * after their answer. Stateless.
 */
final class ReportTransaction {
  /** Below wal_sender_timeout's default of a minute, so that this error comes first. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final Duration PAUSE = Duration.ofMillis(5);

  private static final String IN_PROGRESS =
      "SELECT pg_catalog.pg_xact_status(?::pg_catalog.xid8) = 'in progress'";

  private ReportTransaction() {}

  /**
   * Returns when the connection's next statement sees the transaction.
   *
   * @param transaction its 64-bit id; empty if the report has none
   * @throws SluiceException.Retryable if it is not visible in time, or the thread is interrupted
   */
  static void await(Connection connection, String transaction) throws SQLException {
    if (transaction.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(IN_PROGRESS)) {
      statement.setString(1, transaction);
      boolean visible =
          Polling.every(PAUSE)
              .waitFor(
                  "transaction " + transaction + " to be visible",
                  TIMEOUT,
                  () -> !isInProgress(statement));
      if (!visible) {
        throw new SluiceException.Retryable(
            "transaction %s altered tables and is in the source's log, but is not visible to other sessions after %d s; check whether the source waits for a synchronous standby"
                .formatted(transaction, TIMEOUT.toSeconds()),
            null);
      }
    }
  }

  private static boolean isInProgress(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      return row.next() && row.getBoolean(1);
    }
  }
}
