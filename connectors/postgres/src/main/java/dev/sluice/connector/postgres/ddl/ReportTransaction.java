package dev.sluice.connector.postgres.ddl;

import dev.sluice.config.document.SluiceException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Waits for a transaction that the log tells of to be seen by other sessions. The log is sent when
 * the commit is on disk; what it made is seen only after that, and with synchronous standbys only
 * after they have answered. Stateless.
 */
final class ReportTransaction {
  /** Below wal_sender_timeout's default of a minute, so that the capture fails by this first. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration PAUSE = Duration.ofMillis(5);

  private static final String IN_PROGRESS =
      "SELECT pg_catalog.pg_xact_status(?::pg_catalog.xid8) = 'in progress'";

  private ReportTransaction() {}

  /**
   * Returns when the next statement of that connection sees what the transaction made.
   *
   * @param transaction its number of 64 bits; empty where the message names none
   * @throws SluiceException.Retryable where it is not seen in time, or the thread is interrupted
   */
  static void await(Connection connection, String transaction) throws SQLException {
    if (transaction.isEmpty()) {
      return;
    }
    long begin = System.nanoTime();
    try (PreparedStatement statement = connection.prepareStatement(IN_PROGRESS)) {
      statement.setString(1, transaction);
      while (isInProgress(statement)) {
        if (System.nanoTime() - begin > PATIENCE.toNanos()) {
          throw new SluiceException.Retryable(
              "transaction %s altered tables and is in the source's log, but is not seen by other sessions after %d s; does the source wait for a synchronous standby?"
                  .formatted(transaction, PATIENCE.toSeconds()),
              null);
        }
        Thread.sleep(PAUSE.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable(
          "waiting for transaction " + transaction + " to be seen was interrupted", e);
    }
  }

  private static boolean isInProgress(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      return row.next() && row.getBoolean(1);
    }
  }
}
