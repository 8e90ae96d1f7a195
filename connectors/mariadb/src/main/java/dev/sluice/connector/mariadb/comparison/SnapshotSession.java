package dev.sluice.connector.mariadb.comparison;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.comparison.mariadb.TableSignatures;
import dev.sluice.connector.comparison.mariadb.WatchedSnapshot;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.load.AlikeSnapshots;
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

/**
 * A snapshot of the source with its place in the binary log. Owned by one thread at a time.
 *
 * @param position the place in the log: the snapshot shows everything before it and nothing after
 *     it
 */
record SnapshotSession(WatchedSnapshot snapshot, BinlogPosition position) {
  /** How much longer than its life the session may be idle before the server ends it. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /**
   * Takes a snapshot. It waits for nobody and touches no table.
   *
   * @param captured the server that must answer while a capture reads it
   * @throws SluiceException.Retryable if the server is not reachable, or another one answers
   */
  static SnapshotSession open(MariadbServer server, CapturedServer captured, Duration life) {
    Connection present = server.connect();
    Connection watching = null;
    Connection snapshot = null;
    try {
      watching = server.open();
      bound(present, life);
      bound(watching, life);
      Flavour flavour = Flavour.of(present);
      TableSignatures signatures =
          TableSignatures.ofAll(
              present, server.database(), flavour.innodbTables(), flavour.innodbColumns());
      snapshot = server.open();
      bound(snapshot, life);
      boolean locksEnd = flavour == Flavour.MYSQL || SnapshotOpening.letGoOfTables(snapshot);
      WatchedSnapshot watched =
          new WatchedSnapshot(
              new Limits(server, flavour),
              new WatchedSnapshot.Sessions(snapshot, present, watching),
              signatures,
              locksEnd,
              life);
      return begun(server, captured, snapshot, watched);
    } catch (SQLException e) {
      close(present, watching, snapshot);
      throw MariadbFailures.classify("take a snapshot of " + server, e);
    } catch (SluiceException e) {
      close(present, watching, snapshot);
      throw e;
    }
  }

  private static SnapshotSession begun(
      MariadbServer server, CapturedServer captured, Connection snapshot, WatchedSnapshot watched)
      throws SQLException {
    try {
      int timeline = captured.timeline();
      BinlogPosition place = begin(server, snapshot);
      String identity = LogServer.identity(new MariadbQuery(snapshot));
      return new SnapshotSession(watched, captured.placed(place, identity, timeline));
    } catch (SQLException | SluiceException e) {
      watched.close();
      throw e;
    }
  }

  private static BinlogPosition begin(MariadbServer server, Connection snapshot)
      throws SQLException {
    if (Flavour.of(snapshot) == Flavour.MYSQL) {
      return beginAlike(server, snapshot);
    }
    SnapshotOpening.begin(snapshot);
    return SnapshotOpening.position(snapshot);
  }

  /** If the tables cannot be locked now, validation continues later. */
  private static BinlogPosition beginAlike(MariadbServer server, Connection snapshot)
      throws SQLException {
    try {
      return AlikeSnapshots.begin(server, List.of(snapshot));
    } catch (LockedTables.NotFree e) {
      throw new SluiceException.Retryable(
          "the tables of the source %s could not be locked for a moment: a transaction that has written into them is open"
              .formatted(server),
          e);
    }
  }

  /**
   * Limits the session: the server ends it if it is idle, and its lock timeout is the shortest one.
   */
  private static void bound(Connection session, Duration life) throws SQLException {
    long seconds = life.plus(GRACE).toSeconds();
    try (Statement statement = session.createStatement()) {
      statement.execute(
          "SET SESSION lock_wait_timeout = %2$d, wait_timeout = %1$d, net_write_timeout = %1$d, net_read_timeout = %1$d"
              .formatted(seconds, Flavour.of(session).shortestLockTimeout()));
    }
  }

  private static void close(Connection... sessions) {
    for (Connection session : sessions) {
      WatchedSnapshot.end(session);
    }
  }

  /** The session limits of the source's kind of server. */
  private record Limits(MariadbServer server, Flavour flavour) implements WatchedSnapshot.Server {
    @Override
    public String limit(long millis) {
      return flavour.limit(millis);
    }

    @Override
    public SluiceException failed(String attempted, SQLException error) {
      return MariadbFailures.classify(attempted, error);
    }

    @Override
    public String toString() {
      return "source " + server;
    }
  }
}
