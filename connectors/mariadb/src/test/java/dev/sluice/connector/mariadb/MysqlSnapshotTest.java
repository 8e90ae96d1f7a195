package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.BinlogPosition;
import dev.sluice.connector.mariadb.load.LockedTables;
import dev.sluice.connector.mariadb.load.SnapshotOpening;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Snapshots of MySQL, which begin in a quiet moment, or while tables are locked. */
@OnMysql
class MysqlSnapshotTest {
  private static final int WRITERS = 3;
  private static final int SNAPSHOTS = 40;

  /** How the sessions' snapshots begin. */
  private interface Beginning {
    BinlogPosition begin(MariadbServer server, List<Connection> sessions)
        throws SQLException, LockedTables.NotFree;
  }

  @Test
  void sessionsThatBeginWithALockShowWhatTheLogHasUpToTheirPosition() throws Exception {
    try (SourceDatabase database = database()) {
      assertExact(database, SnapshotOpening::beginLocked, 0);
    }
  }

  /** Nobody gets a lock on the tables meanwhile. */
  @Test
  void sessionsThatBeginInAQuietMomentShowTheSameBesideAnOpenTransaction() throws Exception {
    try (SourceDatabase database = database();
        Connection other = database.connect();
        Statement open = other.createStatement()) {
      open.execute("SET autocommit = 0");
      open.execute("INSERT INTO held VALUES (1)");
      assertExact(database, SnapshotOpening::beginAlike, 20);
      open.execute("ROLLBACK");
    }
  }

  private static SourceDatabase database() {
    return new SourceDatabase(
        "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, w INT)",
        "CREATE TABLE held (id INT PRIMARY KEY)");
  }

  /**
   * Each writer inserts rows one by one, so a snapshot shows as many of them as the log has
   * transactions up to its position.
   *
   * @param pause of a writer between two rows, in milliseconds
   */
  private static void assertExact(SourceDatabase database, Beginning beginning, int pause)
      throws Exception {
    Map<BinlogPosition, List<Long>> counts = new HashMap<>();
    AtomicBoolean stopped = new AtomicBoolean();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(new Thread(() -> write(database, stopped, pause)));
    }
    writers.forEach(Thread::start);
    MariadbServer server = database.sessions();
    for (int round = 0; round < SNAPSHOTS; round++) {
      List<Connection> sessions = List.of(server.open(), server.open(), server.open());
      try {
        BinlogPosition position = begun(server, sessions, beginning);
        List<Long> seen = new ArrayList<>();
        for (Connection session : sessions) {
          seen.add(count(session, database.name));
        }
        counts.put(position, seen);
      } finally {
        for (Connection session : sessions) {
          session.close();
        }
      }
    }
    stopped.set(true);
    for (Thread writer : writers) {
      writer.join();
    }
    assertThat(counts).hasSizeGreaterThan(SNAPSHOTS / 2);
    List<BinlogPosition> ends = endsOfInserts(database, counts.keySet());
    counts.forEach(
        (position, seen) -> {
          long expected = ends.stream().filter(end -> end.compareTo(position) <= 0).count();
          assertThat(seen).as("at " + position).containsOnly(expected);
        });
  }

  @Test
  void aTransactionThatHasWrittenIsWaitedForUpToTheTimeoutAndNobodyWaitsBehindTheLock()
      throws Exception {
    try (SourceDatabase database =
            new SourceDatabase("CREATE TABLE t (id INT PRIMARY KEY)", "SET autocommit = 0");
        Connection other = database.connect();
        Statement statement = other.createStatement()) {
      database.execute("INSERT INTO t VALUES (1)");
      assertThatThrownBy(() -> LockedTables.lock(database.sessions()))
          .isInstanceOf(LockedTables.NotFree.class);
      // Then no GTID proves that the rows of what is in the log can be seen.
      statement.execute("SET GLOBAL gtid_mode = ON_PERMISSIVE");
      try {
        assertThatThrownBy(() -> database.source().retention().create(Duration.ofMillis(1)))
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("could not be locked")
            .hasMessageContaining("INNODB_TRX");
      } finally {
        statement.execute("SET GLOBAL gtid_mode = ON");
      }
      statement.execute("SET SESSION lock_wait_timeout = 60");
      statement.execute("INSERT INTO t VALUES (2)");
      database.execute("COMMIT");
      Position position;
      try (var snapshot = database.source().retention().create(Duration.ofMinutes(1))) {
        position = snapshot.position();
      }
      assertThat(position).isGreaterThan(Position.ZERO);
    }
  }

  private static BinlogPosition begun(
      MariadbServer server, List<Connection> sessions, Beginning beginning)
      throws SQLException, InterruptedException {
    while (true) {
      try {
        return beginning.begin(server, sessions);
      } catch (LockedTables.NotFree e) {
        Thread.sleep(1);
      }
    }
  }

  private static void write(SourceDatabase database, AtomicBoolean stopped, int pause) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      while (!stopped.get()) {
        statement.execute("INSERT INTO t (w) VALUES (1)");
        Thread.sleep(pause);
      }
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long count(Connection session, String database) throws SQLException {
    return Long.parseLong(
        new MariadbQuery(session)
            .row("SELECT count(*) FROM \"%s\".t".formatted(database))
            .orElseThrow()[0]);
  }

  /** The places behind the commits of all inserts. */
  private static List<BinlogPosition> endsOfInserts(
      SourceDatabase database, Set<BinlogPosition> positions) throws SQLException {
    long first = positions.stream().mapToLong(BinlogPosition::file).min().orElseThrow();
    long last = positions.stream().mapToLong(BinlogPosition::file).max().orElseThrow();
    List<BinlogPosition> ends = new ArrayList<>();
    for (long file = first; file <= last; file++) {
      String events = "SHOW BINLOG EVENTS IN '%s'";
      String name = new BinlogPosition(file, 0).fileName("binlog");
      boolean ours = false;
      for (String[] row : new MariadbQuery(database.connection).rows(events.formatted(name))) {
        if (row[2].equals("Table_map")) {
          ours = row[5].contains("(" + database.name + ".t)");
        } else if (row[2].equals("Xid") && ours) {
          ends.add(new BinlogPosition(file, Long.parseLong(row[4])));
          ours = false;
        }
      }
    }
    return ends;
  }
}
