package dev.sluice.connector.mariadb.load;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.PreparedTransactions;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until no XA transaction is prepared: a snapshot does not show its changes, and the log has
 * them before the snapshot. Threadsafe.
 */
final class PreparedWait {
  private static final Logger LOG = LoggerFactory.getLogger(PreparedWait.class);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  private final MariadbServer server;

  PreparedWait(MariadbServer server) {
    this.server = server;
  }

  /**
   * Waits.
   *
   * @param left of the timeout
   * @param timeout for the message
   * @throws SluiceException.Fatal if one stays prepared, with the names of all
   */
  void awaitNone(Duration left, Duration timeout) {
    try {
      PreparedTransactions first = now();
      if (first.isEmpty()) {
        return;
      }
      LOG.info("a snapshot waits for the end of prepared transactions of XA: {}", first);
      PreparedTransactions prepared =
          Polling.every(POLL_INTERVAL).until(left, this::now, PreparedTransactions::isEmpty);
      if (!prepared.isEmpty()) {
        throw stay(prepared, timeout);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("opening a snapshot was interrupted", e);
    }
  }

  private SluiceException stay(PreparedTransactions prepared, Duration timeout) {
    return new SluiceException.Fatal(
        new Problem(
            "source " + server,
            "XA transactions are still prepared after %d s (TransactionConsistencyTimeout), and a snapshot does not show their changes: %s"
                .formatted(timeout.toSeconds(), prepared),
            "no prepared transaction when a snapshot begins (XA RECOVER)",
            "End each by XA COMMIT or XA ROLLBACK, and start again"));
  }

  /**
   * Waits between two attempts to begin a snapshot, since one was prepared during the last attempt.
   *
   * @throws SluiceException.Fatal if there is no time left
   */
  void pause(Duration left, Duration timeout) {
    if (left.isNegative()) {
      throw stay(now(), timeout);
    }
    try {
      Thread.sleep(POLL_INTERVAL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("opening a snapshot was interrupted", e);
    }
  }

  /**
   * The transactions that are prepared at present; none if the user has no right to see them, which
   * is logged.
   */
  PreparedTransactions now() {
    return server
        .read("list the prepared transactions of " + server, PreparedTransactions::read)
        .orElseGet(PreparedWait::unknown);
  }

  private static PreparedTransactions unknown() {
    LOG.warn(
        "this user may not run XA RECOVER: the commit of a transaction of XA that is prepared now"
            + " will stop the capture");
    return new PreparedTransactions(List.of());
  }
}
