package dev.sluice.connector.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.mariadb.capture.BinlogPosition;
import dev.sluice.connector.mariadb.load.LockedTables;
import dev.sluice.connector.mariadb.load.SnapshotOpening;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session with a snapshot that lives for seconds, and two that see the present: one for the
 * catalog and one that watches for others that wait. Each read looks before and after whether the
 * table is still what it was before the snapshot, and gives its lock up. Owned by one thread at a
 * time.
 */
final class SnapshotSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotSession.class);

  /** How much longer than its life the server lets the session be silent. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  private static final int LOCKED = 1205;
  private static final int OUT_OF_TIME = 1969;
  private static final int OUT_OF_TIME_IN_MYSQL = 3024;
  private static final int KILLED = 1317;
  private static final int NO_COLUMN = 1054;
  private static final int NO_TABLE_RIGHT = 1142;
  private static final int NO_COLUMN_RIGHT = 1143;

  private final MariadbServer server;
  private final Flavour flavour;
  private final Connection present;
  private final Connection snapshot;
  private final WaitersWatch watch;
  private final TableSignatures signatures;
  private final BinlogPosition position;
  private final Connection watching;
  private final long deadline;

  /** What is done with the snapshot's session. */
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  private SnapshotSession(
      MariadbServer server, Connection present, Connection watching, Duration life)
      throws SQLException {
    this.server = server;
    this.present = present;
    this.watching = watching;
    this.signatures = TableSignatures.ofAll(present, server.database());
    this.snapshot = server.open();
    try {
      bound(snapshot, life);
      this.flavour = Flavour.of(snapshot);
      boolean mysql = flavour == Flavour.MYSQL;
      boolean locksEnd = mysql || SnapshotOpening.letGoOfTables(snapshot);
      this.deadline = System.nanoTime() + life.toNanos();
      if (mysql) {
        this.position = beginAlike(server, snapshot);
      } else {
        SnapshotOpening.begin(snapshot);
        this.position = SnapshotOpening.position(snapshot);
      }
      long number =
          Long.parseLong(new MariadbQuery(snapshot).row("SELECT connection_id()").orElseThrow()[0]);
      this.watch = new WaitersWatch(watching, number, locksEnd);
    } catch (SQLException | RuntimeException e) {
      close(snapshot);
      throw e;
    }
  }

  /**
   * Takes a snapshot. It waits for nobody and touches no table.
   *
   * @throws SluiceException.Retryable if the server is not reachable
   */
  static SnapshotSession open(MariadbServer server, Duration life) {
    Connection present = server.connect();
    Connection watching = null;
    try {
      watching = server.open();
      bound(present, life);
      bound(watching, life);
      return new SnapshotSession(server, present, watching, life);
    } catch (SQLException e) {
      close(present);
      close(watching);
      throw MariadbFailures.classify("take a snapshot of " + server, e);
    } catch (SluiceException e) {
      close(present);
      close(watching);
      throw e;
    }
  }

  /** Validation goes on later if the tables are not free just now. */
  private static BinlogPosition beginAlike(MariadbServer server, Connection snapshot)
      throws SQLException {
    try {
      return SnapshotOpening.beginAlike(server, List.of(snapshot));
    } catch (LockedTables.NotFree e) {
      throw new SluiceException.Retryable(
          "the tables of the source %s could not be locked for a moment: a transaction that has written into them is open"
              .formatted(server),
          e);
    }
  }

  /** The server ends a session that is silent, and a lock that is not free is not waited for. */
  private static void bound(Connection session, Duration life) throws SQLException {
    long seconds = life.plus(GRACE).toSeconds();
    try (Statement statement = session.createStatement()) {
      statement.execute(
          "SET SESSION lock_wait_timeout = %2$d, wait_timeout = %1$d, net_write_timeout = %1$d, net_read_timeout = %1$d"
              .formatted(seconds, Flavour.of(session).shortestLockTimeout()));
    }
  }

  /** The place in the log up to which the snapshot shows everything, and nothing behind it. */
  BinlogPosition position() {
    return position;
  }

  /** The session that sees the present. */
  Connection present() {
    return present;
  }

  /** Reads a table under the snapshot. */
  <T> T read(TableId table, Work<T> work) {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new NotReadable(
          Reason.OUT_OF_TIME, "the snapshot of the source %s is over".formatted(server), null);
    }
    if (watch.isBroken()) {
      throw new NotReadable(
          Reason.OUT_OF_TIME,
          "the session that watches the source %s ended".formatted(server),
          null);
    }
    watch.reads(true);
    try (Statement statement = snapshot.createStatement()) {
      statement.execute(flavour.limit(Math.max(10, left / 1_000_000)));
      statement.execute("SAVEPOINT compared");
      try {
        requireSame(table);
        T found = work.run(snapshot);
        requireSame(table);
        return found;
      } finally {
        // Otherwise the lock of the table's definition would stay.
        statement.execute("ROLLBACK TO SAVEPOINT compared");
      }
    } catch (SQLException e) {
      throw failed(table, e);
    } finally {
      watch.reads(false);
    }
  }

  private void requireSame(TableId table) throws SQLException {
    if (!signatures.isStill(present, table)) {
      throw new NotReadable(
          Reason.CHANGED,
          "table %s of the source %s was truncated, rebuilt or altered after the snapshot"
              .formatted(table, server),
          null);
    }
  }

  private RuntimeException failed(TableId table, SQLException error) {
    String where = "table %s of the source %s".formatted(table, server);
    if (watch.gaveWay()) {
      return new NotReadable(Reason.BLOCKED, where + ": others wait for a lock", error);
    }
    return switch (error.getErrorCode()) {
      case LOCKED -> new NotReadable(Reason.BLOCKED, where + ": others hold a lock on it", error);
      case OUT_OF_TIME, OUT_OF_TIME_IN_MYSQL, KILLED ->
          new NotReadable(Reason.OUT_OF_TIME, where + ": not read in time", error);
      case MariadbFailures.NO_SUCH_TABLE, MariadbFailures.DEFINITION_CHANGED, NO_COLUMN ->
          new NotReadable(Reason.CHANGED, where + " was altered: " + error.getMessage(), error);
      case NO_TABLE_RIGHT, NO_COLUMN_RIGHT ->
          new NotReadable(Reason.REFUSED, where + ": " + error.getMessage(), error);
      default -> {
        SluiceException failure = MariadbFailures.classify("compare " + where, error);
        yield failure instanceof SluiceException.Retryable
            ? failure
            : new NotReadable(Reason.FAILED, failure.getMessage(), error);
      }
    };
  }

  private static void close(Connection session) {
    if (session == null) {
      return;
    }
    try {
      session.close();
    } catch (SQLException e) {
      LOG.debug("could not close a broken session", e);
    }
  }

  @Override
  public void close() {
    watch.close();
    close(snapshot);
    close(present);
    close(watching);
  }
}
