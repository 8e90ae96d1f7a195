package dev.sluice.connector.mariadb.load;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * MariaDB: a session can read exactly which position its snapshot shows, without any lock. Several
 * sessions show the same position only if nothing commits while they begin. BACKUP STAGE
 * BLOCK_COMMIT holds commits back for that moment, and waits for no open transaction. Without the
 * right for it, sessions begin together repeatedly until enough of them happen to show the same
 * position; in the end a single one is enough.
 *
 * MySQL: a session cannot read which position its snapshot shows. It is known if nothing is
 * committed while the sessions begin; otherwise tables are locked for that moment.
 */
/**
 * Opens snapshots: sessions that show the same position of the binary log. Open ones can be found
 * by name until they are closed. Threadsafe.
 */
public final class SnapshotOpening {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotOpening.class);

  /** Sessions of a snapshot: as many as DMS loads tables at once by default. */
  private static final int WIDTH = 8;

  private static final int ROUNDS = 10;

  /** The timeout for blocked commits, and for getting the block. */
  private static final int LOCK_SECONDS = 2;

  /**
   * After this time the server ends a session that blocks commits and is idle: this process or its
   * network may hang at that moment.
   */
  private static final int SILENT_SECONDS = 5;

  private final MariadbServer server;
  private final Function<BinlogPosition, Optional<LogHistory>> history;
  private final CapturedServer captured;
  private final PreparedWait prepared;
  private final Map<String, SharedSnapshot> open = new ConcurrentHashMap<>();
  private final AtomicInteger number = new AtomicInteger();

  /**
   * @param history the history that the server has at a place
   * @param captured the server of which the snapshots must be while a capture reads it
   */
  public SnapshotOpening(
      MariadbServer server,
      Function<BinlogPosition, Optional<LogHistory>> history,
      CapturedServer captured) {
    this.server = server;
    this.history = history;
    this.captured = captured;
    this.prepared = new PreparedWait(server);
  }

  /** The open snapshot of that name; empty if there is none. */
  Optional<SharedSnapshot> named(String name) {
    return Optional.ofNullable(open.get(name));
  }

  /**
   * Opens a snapshot of the current rows.
   *
   * @param timeout how long it may wait for prepared XA transactions
   * @throws SluiceException if the server fails, or a transaction stays prepared
   */
  public SharedSnapshot open(Duration timeout) {
    return open(timeout, false);
  }

  /** Opens a snapshot at whose position a capture can start: its history can be proven later. */
  public SharedSnapshot openProven(Duration timeout) {
    return open(timeout, true);
  }

  private SharedSnapshot open(Duration timeout, boolean proven) {
    Instant end = Instant.now().plus(timeout);
    while (true) {
      prepared.awaitNone(Duration.between(Instant.now(), end), timeout);
      SharedSnapshot snapshot = openNow(proven, timeout);
      if (nothingPreparedBefore(snapshot)) {
        return snapshot;
      }
      snapshot.close();
      prepared.pause(Duration.between(Instant.now(), end), timeout);
    }
  }

  /**
   * Whether no XA transaction was prepared before the snapshot: one that has not ended would still
   * be listed.
   */
  private boolean nothingPreparedBefore(SharedSnapshot snapshot) {
    try {
      return prepared.now().isEmpty();
    } catch (SluiceException e) {
      snapshot.close();
      throw e;
    }
  }

  private SharedSnapshot openNow(boolean proven, Duration timeout) {
    List<Connection> sessions = new ArrayList<>();
    int timeline = captured.timeline();
    try {
      for (int i = 0; i < WIDTH; i++) {
        Connection session = server.open();
        sessions.add(session);
      }
      if (Flavour.of(sessions.get(0)) == Flavour.MYSQL) {
        BinlogPosition alike = AlikeSnapshots.begin(server, sessions, timeout);
        return shared(sessions, placed(alike, sessions.get(0), timeline), proven);
      }
      for (Connection session : sessions) {
        letGoOfTables(session);
      }
      List<Connection> alike = beginBlocked(sessions).orElse(List.of());
      if (alike.isEmpty()) {
        alike = beginTogether(sessions);
      }
      for (Connection session : sessions) {
        if (!alike.contains(session)) {
          KeptSession.close(session);
        }
      }
      return shared(alike, placed(position(alike.get(0)), alike.get(0), timeline), proven);
    } catch (SQLException e) {
      sessions.forEach(KeptSession::close);
      throw MariadbFailures.classify("open a snapshot on " + server, e);
    } catch (SluiceException e) {
      sessions.forEach(KeptSession::close);
      throw e;
    }
  }

  private BinlogPosition placed(BinlogPosition place, Connection session, int timeline)
      throws SQLException {
    return captured.placed(place, LogServer.identity(new MariadbQuery(session)), timeline);
  }

  /**
   * Makes the end of a savepoint release the locks on tables' definitions. The server does so only
   * in a session that does not write to the binary log. These sessions only read.
   *
   * @return false if the user has no right to it
   */
  public static boolean letGoOfTables(Connection session) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("SET SESSION sql_log_bin = 0");
      return true;
    } catch (SQLException e) {
      if (!MariadbFailures.isMissingRight(e)) {
        throw e;
      }
      return false;
    }
  }

  private SharedSnapshot shared(
      List<Connection> sessions, BinlogPosition position, boolean proven) {
    String name = "%s#%d".formatted(position, number.incrementAndGet());
    SharedSnapshot snapshot =
        new SharedSnapshot(
            name,
            positionOf(position, proven),
            sessions.stream().map(KeptSession::new).toList(),
            server.silence(),
            () -> open.remove(name));
    open.put(name, snapshot);
    LOG.info("snapshot {} has {} of {} sessions", name, sessions.size(), WIDTH);
    return snapshot;
  }

  private Position positionOf(BinlogPosition place, boolean proven) {
    if (place.file() == 0) {
      return place.ofSnapshot();
    }
    try {
      return history
          .apply(place)
          .map(place::ofSnapshot)
          .orElseThrow(
              () ->
                  new SluiceException.Retryable(
                      "the binary log has changed while a snapshot was opened at " + place, null));
    } catch (SluiceException.Fatal e) {
      if (proven) {
        throw e;
      }
      // Ignored: a load without changes needs no right to read the log, and a capture would refuse
      // the position.
      LOG.debug("the history of snapshot {} is not known", place, e);
      return place.ofSnapshot();
    }
  }

  /** Begins all snapshots while commits are blocked; empty if they cannot be blocked. */
  private Optional<List<Connection>> beginBlocked(List<Connection> sessions) throws SQLException {
    try (Connection blocker = server.open();
        Statement statement = blocker.createStatement()) {
      statement.execute(
          "SET SESSION lock_wait_timeout = %d, wait_timeout = %d"
              .formatted(LOCK_SECONDS, SILENT_SECONDS));
      try {
        statement.execute("BACKUP STAGE START");
        statement.execute("BACKUP STAGE BLOCK_COMMIT");
        for (Connection session : sessions) {
          begin(session);
        }
      } catch (SQLException e) {
        if (blocker.isClosed()) {
          throw e;
        }
        LOG.info(
            "commits cannot be held back for the snapshot, so its sessions begin without: {}",
            e.getMessage());
        return Optional.empty();
      } finally {
        end(statement);
      }
    }
    return Optional.of(largestGroup(sessions)).filter(group -> group.size() == sessions.size());
  }

  private static void end(Statement statement) {
    try {
      statement.execute("BACKUP STAGE END");
    } catch (SQLException e) {
      // The block never began, or ends with the session.
      LOG.debug("BACKUP STAGE END failed", e);
    }
  }

  private List<Connection> beginTogether(List<Connection> sessions) throws SQLException {
    List<Connection> group = List.of();
    for (int round = 0; round < ROUNDS && group.size() < sessions.size(); round++) {
      for (Connection session : sessions) {
        begin(session);
      }
      group = largestGroup(sessions);
    }
    // Without a binary log it is not known whether two sessions show the same rows.
    return position(sessions.get(0)).file() == 0 ? List.of(sessions.get(0)) : group;
  }

  /** Begins the session's snapshot; waits for nobody. */
  public static void begin(Connection session) throws SQLException {
    try (Statement statement = session.createStatement()) {
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    }
  }

  private static List<Connection> largestGroup(List<Connection> sessions) throws SQLException {
    Map<BinlogPosition, List<Connection>> groups = new HashMap<>();
    for (Connection session : sessions) {
      groups.computeIfAbsent(position(session), at -> new ArrayList<>()).add(session);
    }
    return Collections.max(groups.values(), Comparator.comparingInt(List::size));
  }

  /** The position that a session's snapshot shows; file 0 if the server has no binary log. */
  public static BinlogPosition position(Connection session) throws SQLException {
    Map<String, String> status = new HashMap<>();
    for (String[] row : new MariadbQuery(session).rows("SHOW STATUS LIKE 'binlog_snapshot_%'")) {
      status.put(row[0].toLowerCase(Locale.ROOT), row[1]);
    }
    String file = status.getOrDefault("binlog_snapshot_file", "");
    return file.isEmpty()
        ? new BinlogPosition(0, 0)
        : BinlogPosition.of(file, Long.parseLong(status.get("binlog_snapshot_position")));
  }
}
