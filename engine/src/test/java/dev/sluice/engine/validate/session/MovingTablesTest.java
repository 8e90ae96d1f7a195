package dev.sluice.engine.validate.session;

import static dev.sluice.engine.validate.session.MovingPair.checkpoint;
import static dev.sluice.engine.validate.session.MovingPair.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions while the source is written and replicated. */
class MovingTablesTest {
  private static final int SESSIONS = Integer.getInteger("sluice.sessions", 12);
  private static final int ROWS = 3000;

  private MovingPair pair;
  private final List<Thread> writers = new ArrayList<>();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final AtomicLong commits = new AtomicLong();
  private final AtomicReference<Exception> failure = new AtomicReference<>();

  @BeforeEach
  void create() throws SQLException {
    pair = new MovingPair();
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text, f float8, n numeric, ts timestamptz)",
        "CREATE TABLE app.k (a text COLLATE \"C\", b int, v int, PRIMARY KEY (b, a))",
        "CREATE TABLE app.p (id int PRIMARY KEY, v text) PARTITION BY RANGE (id)",
        "CREATE TABLE app.p1 PARTITION OF app.p FOR VALUES FROM (MINVALUE) TO (1500)",
        "CREATE TABLE app.p2 PARTITION OF app.p DEFAULT",
        "INSERT INTO app.t SELECT i, i, i, i, now() FROM generate_series(1, " + ROWS + ") i",
        "INSERT INTO app.k SELECT 'k' || i, i % 5, 0 FROM generate_series(1, " + ROWS + ") i",
        "INSERT INTO app.p SELECT i, i FROM generate_series(1, " + ROWS + ") i");
    pair.onTarget("TRUNCATE app.t");
    copyTimestamps();
    pair.replicate();
  }

  /** The time of the insert is another one on each side. */
  private void copyTimestamps() throws SQLException {
    pair.onSource("UPDATE app.t SET ts = '2020-01-01 00:00:00+00'");
    pair.onTarget(
        "INSERT INTO app.t SELECT i, i, i, i, '2020-01-01 00:00:00+00' FROM generate_series(1, "
            + ROWS
            + ") i");
  }

  @AfterEach
  void close() throws Exception {
    stopWriters();
    pair.close();
  }

  private void stopWriters() throws Exception {
    stopped.set(true);
    for (Thread writer : writers) {
      writer.join();
    }
    writers.clear();
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  /** One transaction of an application. */
  private interface Work {
    void run(Statement statement, Random random) throws SQLException;
  }

  private void write(int threads, Work work) {
    for (int i = 0; i < threads; i++) {
      int seed = i;
      Thread writer =
          new Thread(
              () -> {
                Random random = new Random(seed);
                try (Connection connection = pair.connectSource();
                    Statement statement = connection.createStatement()) {
                  statement.execute("SET synchronous_commit = off");
                  while (!stopped.get()) {
                    work.run(statement, random);
                    commits.incrementAndGet();
                  }
                } catch (SQLException e) {
                  failure.set(e);
                }
              });
      writer.start();
      writers.add(writer);
    }
  }

  private static void mixed(Statement statement, Random random) throws SQLException {
    statement.execute("BEGIN");
    try {
      int changes = 1 + random.nextInt(5);
      for (int i = 0; i < changes; i++) {
        boolean sub = random.nextInt(4) == 0;
        if (sub) {
          statement.execute("SAVEPOINT s");
        }
        change(statement, random);
        if (sub) {
          statement.execute(random.nextInt(3) == 0 ? "ROLLBACK TO s" : "RELEASE s");
        }
      }
      switch (random.nextInt(30)) {
        case 0 -> statement.execute("ROLLBACK");
        case 1 -> {
          String id = "'p" + random.nextLong() + "'";
          statement.execute("PREPARE TRANSACTION " + id);
          pause(random.nextInt(40));
          statement.execute("COMMIT PREPARED " + id);
        }
        case 2 -> {
          pause(random.nextInt(100));
          statement.execute("COMMIT");
        }
        default -> statement.execute("COMMIT");
      }
    } catch (SQLException e) {
      statement.execute("ROLLBACK");
      if (!"23505".equals(e.getSQLState()) && !e.getSQLState().startsWith("40")) {
        throw e;
      }
    }
  }

  private static void change(Statement statement, Random random) throws SQLException {
    int id = random.nextInt(ROWS) + 1;
    int other = random.nextInt(2 * ROWS) + 1;
    statement.execute(
        switch (random.nextInt(8)) {
          case 0 -> "UPDATE app.t SET id = %d WHERE id = %d".formatted(other, id);
          case 1 -> "DELETE FROM app.t WHERE id = " + id;
          case 2 ->
              "INSERT INTO app.t VALUES (%d, 'n%d', '-0', 1.50, now()) ON CONFLICT (id) DO NOTHING"
                  .formatted(id, other);
          case 3 -> "UPDATE app.k SET v = v + 1 WHERE a = 'k%d' AND b = %d".formatted(id, id % 5);
          case 4 -> "UPDATE app.p SET id = %d WHERE id = %d".formatted(other, id);
          case 5 -> "UPDATE app.p SET v = v || 'x' WHERE id = " + id;
          default -> "UPDATE app.t SET v = 'u%d', n = n / 3 WHERE id = %d".formatted(other, id);
        });
  }

  private static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<ComparisonPlan> everything() {
    return List.of(
        ComparisonPlan.whole(table("t"), List.of("id")),
        ComparisonPlan.whole(table("k"), List.of("a", "b")),
        ComparisonPlan.whole(table("p"), List.of("id")));
  }

  @Test
  void noRowIsReportedWhileAllKindsOfTransactionsRun() throws Exception {
    write(4, MovingTablesTest::mixed);
    int compared = 0;
    for (int i = 0; i < SESSIONS; i++) {
      SessionFindings findings = pair.session().run(checkpoint(), everything());
      assertAllEqual(findings);
      compared += findings.tables().size();
    }
    assertThat(compared).isEqualTo(3 * SESSIONS);
    assertThat(commits.get()).isGreaterThan(SESSIONS);
  }

  @Test
  void plantedFaultsAreFoundWhileTransactionsRun() throws Exception {
    // Nobody writes these rows.
    pair.onSource("INSERT INTO app.t SELECT i, 'still' FROM generate_series(10001, 10100) i");
    write(3, MovingTablesTest::mixed);
    Awaitility.await()
        .until(() -> pair.onTargetGet("SELECT count(*) FROM app.t WHERE id > 10000").equals("100"));
    pair.onTarget(
        "UPDATE app.t SET f = 1 WHERE id BETWEEN 10001 AND 10010",
        "DELETE FROM app.t WHERE id BETWEEN 10011 AND 10020",
        "INSERT INTO app.t SELECT i FROM generate_series(10101, 10110) i");

    TableFindings found = pair.compare("t");

    assertThat(found.differences().stream().map(row -> Integer.parseInt(row.key().values().get(0))))
        .hasSize(30)
        .allMatch(id -> id > 10000);
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void aTransactionThatTheLogHasAndNoSnapshotShowsIsLeftOut() throws Exception {
    String setting = "ALTER SYSTEM SET synchronous_standby_names = '%s'";
    pair.onSource(setting.formatted("nobody"), "SELECT pg_reload_conf()");
    Awaitility.await().atMost(Duration.ofMinutes(4)).until(this::aCommitWaits);
    try (Connection waiting = pair.connectSource();
        Statement statement = waiting.createStatement()) {
      Thread commit =
          new Thread(
              () -> {
                try {
                  statement.execute("SET synchronous_commit = on");
                  statement.execute("UPDATE app.t SET v = 'early', id = 20000 WHERE id = 5");
                } catch (SQLException e) {
                  failure.set(e);
                }
              });
      commit.start();
      try {
        Awaitility.await()
            .until(
                () -> pair.onTargetGet("SELECT count(*) FROM app.t WHERE id = 20000").equals("1"));
        assertThat(pair.onSourceGet("SELECT count(*) FROM app.t WHERE id = 20000")).isEqualTo("0");

        TableFindings found = pair.compare("t");

        assertThat(found.differences()).isEmpty();
        assertThat(found.chunks()).allMatch(ChunkProof::isEqual).allMatch(c -> c.keysLeftOut() > 0);
        assertThat(
                pair.compare(
                        ComparisonPlan.touched(
                            table("t"), List.of("id"), List.of(RowKey.of("5"), RowKey.of("6"))))
                    .hotKeys())
            .containsExactly(RowKey.of("5"));
      } finally {
        pair.onSource(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        commit.join();
      }
    } finally {
      pair.onSource(setting.formatted(""), "SELECT pg_reload_conf()");
    }
    assertThat(failure.get()).isNull();
    assertThat(pair.compare("t").isProven()).isTrue();
  }

  /** Tries whether the server has read the setting by which a commit waits for its standby. */
  private boolean aCommitWaits() throws Exception {
    Thread probe =
        new Thread(
            () -> {
              try (Connection connection = pair.connectSource();
                  Statement statement = connection.createStatement()) {
                statement.execute("SET synchronous_commit = on");
                statement.execute("SELECT pg_logical_emit_message(true, 'probe', '')");
              } catch (SQLException e) {
                failure.set(e);
              }
            });
    probe.start();
    boolean waits = false;
    while (probe.isAlive()) {
      waits |=
          pair.onSourceGet(
                  "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event ="
                      + " 'SyncRep'")
              .equals("1");
      probe.join(20);
    }
    return waits;
  }

  /** A snapshot has no room for more than 64 subtransactions of a session. */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void aTransactionWith500SubtransactionsIsComparedByItsOwnId() throws Exception {
    write(2, MovingTablesTest::mixed);
    // Nobody else writes these rows.
    pair.onSource("INSERT INTO app.t SELECT i, 'still' FROM generate_series(10001, 10500) i");
    String setting = "ALTER SYSTEM SET synchronous_standby_names = '%s'";
    try (Connection large = pair.connectSource();
        Statement statement = large.createStatement()) {
      statement.execute("BEGIN");
      for (int i = 1; i <= 500; i++) {
        statement.execute(
            "SAVEPOINT s%d; UPDATE app.t SET v = 'sub' WHERE id = %d".formatted(i, 10000 + i));
      }
      for (int i = 0; i < 3; i++) {
        assertAllEqual(pair.session().run(checkpoint(), everything()));
      }
      stopWriters();
      stopped.set(false);
      pair.onSource(setting.formatted("nobody"), "SELECT pg_reload_conf()");
      Awaitility.await().atMost(Duration.ofMinutes(4)).until(this::aCommitWaits);
      Thread commit =
          new Thread(
              () -> {
                try {
                  statement.execute("SET synchronous_commit = on; COMMIT");
                } catch (SQLException e) {
                  failure.set(e);
                }
              });
      commit.start();
      try {
        Awaitility.await()
            .atMost(Duration.ofMinutes(4))
            .until(
                () -> pair.onTargetGet("SELECT count(*) FROM app.t WHERE v = 'sub'").equals("500"));
        assertThat(pair.onSourceGet("SELECT count(*) FROM app.t WHERE v = 'sub'")).isEqualTo("0");
        SessionFindings found = pair.session().run(checkpoint(), everything());
        assertAllEqual(found);
        assertThat(found.tables().get(0).chunks())
            .extracting(ChunkProof::keysLeftOut)
            .anyMatch(left -> left > 0);
      } finally {
        pair.onSource(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        commit.join();
      }
    } finally {
      pair.onSource(setting.formatted(""), "SELECT pg_reload_conf()");
    }
    assertThat(failure.get()).isNull();
    assertAllEqual(pair.session().run(checkpoint(), everything()));
  }

  private static void assertAllEqual(SessionFindings findings) {
    assertThat(findings.obstacle()).isEmpty();
    for (TableFindings table : findings.tables()) {
      assertThat(table.differences()).as("%s", table).isEmpty();
      assertThat(table.end()).as("%s", table).isEqualTo(End.DONE);
      assertThat(table.chunks()).as("%s", table).allMatch(ChunkProof::isEqual);
    }
  }

  @Test
  void aSessionDoesNotBeginWhileEarlierTransactionsRun() throws Exception {
    try (Connection early = pair.connectSource();
        Statement statement = early.createStatement()) {
      statement.execute("BEGIN; UPDATE app.t SET v = 'open' WHERE id = 1");
      long later = Long.parseLong(pair.onSourceGet("SELECT pg_current_xact_id()::text"));
      AppliedKeys keys = new AppliedKeys(MovingPair.completeFrom(later), ColumnNames.SAME);
      SessionFindings findings =
          pair.session(TableMappings.EVERYTHING, keys).run(checkpoint(), everything());

      assertThat(findings.obstacle().get().kind())
          .isEqualTo(SessionFindings.Obstacle.Kind.TOO_EARLY);
      statement.execute("ROLLBACK");
    }
  }

  @Test
  void aTargetThatLagsIsNotCompared() throws Exception {
    pair.replica().hold(true);
    pair.onSource("DELETE FROM app.t WHERE id = 7");
    SessionLimits limits =
        new SessionLimits(Duration.ofSeconds(3), 1000, 1000, 1000, 1000, Duration.ofMillis(200));
    SessionFindings findings =
        new ComparisonSession(
                pair.comparisonSource(),
                pair.comparisonTarget(),
                TableMappings.EVERYTHING,
                new AppliedKeys(pair.keys(), ColumnNames.SAME),
                any -> pair.endWindow(),
                limits)
            .run(checkpoint(), everything());

    assertThat(findings.obstacle().get().kind()).isEqualTo(SessionFindings.Obstacle.Kind.LAGGING);
    assertThat(findings.tables()).isEmpty();
  }

  @Test
  void partsThatWereReadContinueWhereTheyEnded() throws Exception {
    TableFindings found =
        pair.compare(
            new ComparisonPlan(
                table("t"),
                List.of("id"),
                List.of(KeyRange.from(Optional.of(RowKey.of("1500")))),
                List.of()));

    assertThat(found.chunks().stream().mapToLong(chunk -> chunk.source().rows()).sum())
        .isEqualTo(1500);
    assertThat(found.isProven()).isTrue();
  }
}
