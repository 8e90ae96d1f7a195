package dev.sluice.connector.mariadb.load;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins snapshots in several sessions of MySQL such that all show the same position of the binary
 * log. Stateless.
 */
public final class AlikeSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(AlikeSnapshots.class);

  /** The longest pause between two attempts to lock tables. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private AlikeSnapshots() {}

  /**
   * Begins snapshots of MySQL that all show the same position.
   *
   * @param timeout how long to wait for transactions that hold the tables
   * @return the position
   * @throws SluiceException.Fatal if the tables could not be locked in that time
   */
  static BinlogPosition begin(MariadbServer server, List<Connection> sessions, Duration timeout)
      throws SQLException {
    Instant end = Instant.now().plus(timeout);
    for (int attempt = 0; ; attempt++) {
      try {
        return begin(server, sessions);
      } catch (LockedTables.NotFree e) {
        if (Instant.now().isAfter(end)) {
          throw new SluiceException.Fatal(
              new Problem(
                  "source " + server,
                  "its tables could not be locked for a moment within %d s (TransactionConsistencyTimeout): transactions that have written to them are still open"
                      .formatted(timeout.toSeconds()),
                  "a moment without such a transaction (information_schema.INNODB_TRX shows them)",
                  "End them, or start again when there are none"));
        }
        if (attempt == 0) {
          LOG.info("a snapshot waits for transactions that have written into tables");
        }
        pause(attempt);
      }
    }
  }

  /** Lets a writer that waited behind the last attempt continue. */
  private static void pause(int attempt) {
    try {
      Thread.sleep(Math.min(LONGEST_PAUSE.toMillis(), 200L << Math.min(attempt, 10)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("opening a snapshot was interrupted", e);
    }
  }

  /**
   * The same in one attempt: without a lock if nothing is committed for a moment.
   *
   * @throws LockedTables.NotFree if there are commits, and an open transaction has written to a
   *     table
   */
  public static BinlogPosition begin(MariadbServer server, List<Connection> sessions)
      throws SQLException, LockedTables.NotFree {
    Optional<BinlogPosition> quiet;
    try (Connection asking = server.open()) {
      quiet = QuietMoment.begin(new MariadbQuery(asking), sessions);
    }
    return quiet.isPresent() ? quiet.get() : beginLocked(server, sessions);
  }

  /**
   * The same while all tables are locked.
   *
   * @throws LockedTables.NotFree if an open transaction has written to a table
   */
  public static BinlogPosition beginLocked(MariadbServer server, List<Connection> sessions)
      throws SQLException, LockedTables.NotFree {
    try (LockedTables locked = LockedTables.lock(server)) {
      for (Connection session : sessions) {
        SnapshotOpening.begin(session);
      }
      BinlogPosition position =
          LogServer.end(new MariadbQuery(locked.session())).orElse(new BinlogPosition(0, 0));
      String identity = identity(locked.session());
      // Fails if the server has already ended the locks.
      locked.unlock();
      requireOf(identity, sessions);
      return position;
    }
  }

  /**
   * Requires that all sessions are on one server: the address may lead to another one meanwhile.
   */
  static void requireOf(String identity, List<Connection> sessions) throws SQLException {
    for (Connection session : sessions) {
      if (!identity(session).equals(identity)) {
        throw new SluiceException.Retryable(
            "the address of the source leads to another server than before, so the sessions of a snapshot are of two",
            null);
      }
    }
  }

  private static String identity(Connection session) throws SQLException {
    return new MariadbQuery(session).row("SELECT @@server_uuid").orElseThrow()[0];
  }
}
