package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.load.AlikeSnapshots;
import dev.sluice.connector.mariadb.load.LockedTables;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
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

  /** The places in the log behind which a row more can be seen. */
  private interface Ends {
    List<BinlogPosition> of(SourceDatabase database, Set<BinlogPosition> positions)
        throws SQLException;
  }

  @Test
  void sessionsThatBeginWithALockShowWhatTheLogHasUpToTheirPosition() throws Exception {
    try (SourceDatabase database = database()) {
      assertExact(database, AlikeSnapshots::beginLocked, 0);
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
      assertExact(database, AlikeSnapshots::begin, 20);
      open.execute("ROLLBACK");
    }
  }

  /** Then the engine commits in another order than the log has. */
  @Test
  void aQuietMomentIsAProofThoughTheEngineCommitsInAnotherOrder() throws Exception {
    try (SourceDatabase database = database()) {
      database.execute("SET GLOBAL binlog_order_commits = OFF");
      try {
        assertExact(database, AlikeSnapshots::begin, 20);
      } finally {
        database.execute("SET GLOBAL binlog_order_commits = ON");
      }
    }
  }

  /** The log has the rows from the preparation on, and they are seen behind the commit. */
  @Test
  void aQuietMomentIsAProofForTransactionsThatAnotherSessionCommitsByXa() throws Exception {
    try (SourceDatabase database = database()) {
      assertExact(
          database,
          AlikeSnapshots::begin,
          stopped -> writeByXa(database, stopped),
          MysqlSnapshotTest::endsOfXa);
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
    assertExact(
        database,
        beginning,
        stopped -> write(database, stopped, pause),
        MysqlSnapshotTest::endsOfInserts);
  }

  private static void assertExact(
      SourceDatabase database, Beginning beginning, Consumer<AtomicBoolean> writer, Ends ofRows)
      throws Exception {
    Map<BinlogPosition, List<Long>> counts = new HashMap<>();
    AtomicBoolean stopped = new AtomicBoolean();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(new Thread(() -> writer.accept(stopped)));
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
    for (Thread each : writers) {
      each.join();
    }
    assertThat(counts).hasSizeGreaterThan(SNAPSHOTS / 2);
    List<BinlogPosition> ends = ofRows.of(database, counts.keySet());
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

  /** Writes rows in one session, and commits them in another one. */
  private static void writeByXa(SourceDatabase database, AtomicBoolean stopped) {
    try (Connection connection = database.connect();
        Connection other = database.connect();
        Statement statement = connection.createStatement();
        Statement committing = other.createStatement()) {
      for (int i = 0; !stopped.get(); i++) {
        String name = "'%s-%d-%d'".formatted(database.name, Thread.currentThread().getId(), i);
        statement.execute("XA START " + name);
        statement.execute("INSERT INTO t (w) VALUES (1)");
        statement.execute("XA END " + name);
        statement.execute("XA PREPARE " + name);
        Thread.sleep(20);
        committing.execute("XA COMMIT " + name);
        Thread.sleep(20);
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
    List<BinlogPosition> ends = new ArrayList<>();
    boolean ours = false;
    for (LoggedEvent event : events(database, positions)) {
      if (event.type.equals("Table_map")) {
        ours = event.info.contains("(" + database.name + ".t)");
      } else if (event.type.equals("Xid") && ours) {
        ends.add(event.end);
        ours = false;
      }
    }
    return ends;
  }

  /** The places behind the commits of all that was prepared in the database. */
  private static List<BinlogPosition> endsOfXa(
      SourceDatabase database, Set<BinlogPosition> positions) throws SQLException {
    String ours =
        "XA COMMIT X'"
            + HexFormat.of().formatHex((database.name + "-").getBytes(StandardCharsets.US_ASCII));
    return events(database, positions).stream()
        .filter(event -> event.info.startsWith(ours))
        .map(LoggedEvent::end)
        .toList();
  }

  /** One of the log's events, as the server shows it. */
  private record LoggedEvent(String type, BinlogPosition end, String info) {}

  private static List<LoggedEvent> events(SourceDatabase database, Set<BinlogPosition> positions)
      throws SQLException {
    long first = positions.stream().mapToLong(BinlogPosition::file).min().orElseThrow();
    long last = positions.stream().mapToLong(BinlogPosition::file).max().orElseThrow();
    List<LoggedEvent> events = new ArrayList<>();
    for (long file = first; file <= last; file++) {
      String name = new BinlogPosition(file, 0).fileName("binlog");
      String all = "SHOW BINLOG EVENTS IN '%s'".formatted(name);
      for (String[] row : new MariadbQuery(database.connection).rows(all)) {
        BinlogPosition end = new BinlogPosition(file, Long.parseLong(row[4]));
        events.add(new LoggedEvent(row[2], end, row[5]));
      }
    }
    return events;
  }
}
