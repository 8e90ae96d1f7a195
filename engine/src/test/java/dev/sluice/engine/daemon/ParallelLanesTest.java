package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.engine.RandomDdl;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.status.TaskStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** ParallelApplyThreads on real servers, through the daemon. */
@ExtendWith(SharedBroker.class)
class ParallelLanesTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int TABLES = 6;

  /** Whether the second lane is behind all others. */
  private static final String BEHIND =
      "SELECT position::pg_lsn < ALL (SELECT position::pg_lsn FROM sluice_control.checkpoint"
          + " UNION ALL SELECT position::pg_lsn FROM sluice_control.lane_checkpoint WHERE lane <> 'lane 2')"
          + " FROM sluice_control.lane_checkpoint WHERE lane = 'lane 2'";

  private static final String WAITING =
      "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
          + " AND datname = current_database()";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void theLayoutChangesBetweenRunsAndNothingIsLostOrAppliedTwice() throws Exception {
    DdlTask task = make("layouts");
    String lanes = "SELECT count(*) FROM sluice_control.lane_checkpoint";
    try (RunningDaemon running = RunningDaemon.start(threads(task, 0))) {
      running.awaitPhase("replicating");
      write(task, 1);
      assertThat(running.daemon().status().lanes()).isEmpty();
    }
    write(task, 2);
    try (RunningDaemon running = RunningDaemon.start(threads(task, 3))) {
      running.awaitPhase("replicating");
      write(task, 3);
      task.assertEqual(running);
      TaskStatus status = running.daemon().status();
      List<TaskStatus.Lane> three = status.lanes();
      assertThat(three)
          .extracting(TaskStatus.Lane::lane)
          .containsExactly("main", "lane 2", "lane 3");
      assertThat(three.get(0).tables()).isEmpty();
      assertThat(three.get(1).tables()).isNotEmpty();
      assertThat(three.get(2).tables())
          .isNotEmpty()
          .doesNotContainAnyElementsOf(three.get(1).tables());
      assertThat(three).allSatisfy(lane -> assertThat(lane.changes()).isPositive());
      assertThat(status.target().changes())
          .isEqualTo(three.stream().mapToLong(TaskStatus.Lane::changes).sum());
      endWhileHeldUp(task, running, written(three.get(1)));
    }
    assertThat(task.target(lanes)).isEqualTo("2");
    assertThat(task.target(BEHIND)).isEqualTo("t");
    write(task, 5);
    try (RunningDaemon running = RunningDaemon.start(threads(task, 2))) {
      running.awaitPhase("replicating");
      write(task, 6);
      task.assertEqual(running);
      assertThat(running.daemon().status().lanes()).hasSize(2);
    }
    assertThat(task.target(lanes)).isEqualTo("1");
    write(task, 7);
    try (RunningDaemon running = RunningDaemon.start(threads(task, 0))) {
      running.awaitPhase("replicating");
      task.assertEqual(running);
      assertThat(running.daemon().status().lanes()).isEmpty();
      assertThat(task.target(lanes)).isEqualTo("0");
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    }
  }

  @Test
  void tablesAreAlteredInTheMiddleOfTransactionsOverAllLanes() throws Exception {
    DdlTask task = make("meeting");
    try (RunningDaemon running = RunningDaemon.start(threads(task, 3))) {
      running.awaitPhase("replicating");
      write(task, 1);
      for (int i = 0; i < TABLES; i++) {
        int other = (i + 1) % TABLES;
        task.onSource(
            "BEGIN; INSERT INTO t%d VALUES (1000, 'before');".formatted(i)
                + " UPDATE t%d SET v = v || '!' WHERE id < 5;".formatted(other)
                + " ALTER TABLE t%d ADD COLUMN extra_%d int DEFAULT 7;".formatted(i, i)
                + " UPDATE t%d SET extra_%d = id WHERE id < 9;".formatted(i, i)
                + " INSERT INTO t%d (id, v) VALUES (%d, 'after'); COMMIT"
                    .formatted(other, 2000 + i));
        write(task, 10 + i);
      }
      // Rows change their lane with the name of their table.
      task.onSource(
          "ALTER TABLE t0 RENAME TO renamed",
          "INSERT INTO renamed (id, v) VALUES (3000, 'renamed')",
          "ALTER TABLE t1 RENAME TO t0",
          "INSERT INTO t0 (id, v) VALUES (3000, 'was t1')",
          "ALTER TABLE renamed RENAME TO t1",
          "UPDATE t1 SET v = 'was t0' WHERE id = 3000",
          "CREATE TABLE made (id int PRIMARY KEY)",
          "INSERT INTO made VALUES (1)",
          "DROP TABLE t5",
          "CREATE TABLE t5 (other text PRIMARY KEY)",
          "INSERT INTO t5 VALUES ('x')");
      task.assertEqual(running);
      assertThat(running.daemon().cutover(PATIENCE).success()).isTrue();
    }
  }

  @Test
  void randomDdlBesideRandomTransactionsLeavesBothSidesEqual() throws Exception {
    DdlTask task = make("random");
    RandomDdl ddl = new RandomDdl(20261121L);
    int seed = 20;
    task.onSource("CREATE SCHEMA altered");
    try (Connection other = SERVERS.source().connect("random")) {
      other.setSchema("altered");
      for (int start = 0; start < 2; start++) {
        try (RunningDaemon running = RunningDaemon.start(threads(task, 3))) {
          running.awaitPhase("replicating");
          for (int i = 0; i < 25; i++) {
            write(task, seed++);
            ddl.transaction(other);
          }
          if (start == 1) {
            task.assertEqual(running);
          }
        }
      }
    }
  }

  @Test
  void oneTruncateOfTablesOfSeveralLanesEmptiesThemAlsoWhereForeignKeysJoinThem() throws Exception {
    DdlTask task = make("emptied");
    task.onSource(
        "ALTER TABLE t1 ADD COLUMN parent int REFERENCES t0 ON DELETE CASCADE ON UPDATE CASCADE",
        "ALTER TABLE t2 ADD COLUMN parent int REFERENCES t1 ON DELETE CASCADE ON UPDATE CASCADE",
        "UPDATE t1 SET parent = id WHERE id <= 50");
    try (RunningDaemon running = RunningDaemon.start(threads(task, 3))) {
      running.awaitPhase("replicating");
      // The load leaves foreign keys to the cutover: without them nothing would be in the way.
      task.onTarget(
          "ALTER TABLE t1 ADD FOREIGN KEY (parent) REFERENCES t0 NOT VALID",
          "ALTER TABLE t2 ADD FOREIGN KEY (parent) REFERENCES t1 NOT VALID");
      write(task, 1);
      task.onSource(
          "BEGIN; TRUNCATE t0, t1, t2, t3; INSERT INTO t0 VALUES (1, 'new'); COMMIT",
          "INSERT INTO t1 VALUES (1, 'child', 1)");
      assertThat(running.daemon().fence(PATIENCE).success()).isTrue();
      for (int i = 0; i < TABLES; i++) {
        String rows = "SELECT coalesce(string_agg(t::text, ' ' ORDER BY id), '') FROM t" + i + " t";
        assertThat(task.target(rows)).isEqualTo(task.source(rows));
      }
    }
  }

  /** A table of the lane that the transactions change; which it has hangs on the sizes. */
  private static String written(TaskStatus.Lane lane) {
    return lane.tables().stream()
        .filter(table -> table.startsWith("public.t"))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Ends the daemon while the lane of a table, the second, cannot go on, so that it stands behind
   * the others.
   */
  private static void endWhileHeldUp(DdlTask task, RunningDaemon running, String table)
      throws Exception {
    try (Connection locker = SERVERS.target().connect(task.name());
        Statement statement = locker.createStatement()) {
      locker.setAutoCommit(false);
      statement.execute("LOCK TABLE " + table + " IN EXCLUSIVE MODE");
      write(task, 4);
      await()
          .atMost(PATIENCE)
          .until(() -> task.target(WAITING).equals("t") && task.target(BEHIND).equals("t"));
      running.daemon().stop(false);
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                task.onTarget(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND wait_event_type = 'Lock'");
                return running.end().isDone();
              });
      locker.rollback();
    }
  }

  private DdlTask make(String name) throws SQLException, IOException {
    DdlTask task = DdlTask.make(folder, name, SERVERS.source(), SERVERS.target(), "THREADS");
    for (int i = 0; i < TABLES; i++) {
      task.onSource(
          "CREATE TABLE t%d (id int %s, v text)".formatted(i, i == 4 ? "" : "PRIMARY KEY"),
          "INSERT INTO t%d SELECT g, 'loaded' FROM generate_series(1, %d) g"
              .formatted(i, 50 * (i + 1)));
    }
    task.onSource("ALTER TABLE t4 REPLICA IDENTITY FULL");
    return task;
  }

  private static TaskConfig threads(DdlTask task, int threads) throws IOException {
    Path file = task.file().resolveSibling(task.name() + "-" + threads + ".yaml");
    Files.writeString(
        file,
        Files.readString(task.file())
            .replace("THREADS", "TargetMetadata: { ParallelApplyThreads: " + threads + " }")
            .replace(
                "BatchApplyTimeoutMin: 0.1",
                "BatchApplyTimeoutMin: 0.1, BatchApplyPreserveTransaction: false"));
    return TaskFile.read(file, Map.of());
  }

  /** Transactions over several tables, the order of whose changes shows in the rows. */
  private static void write(DdlTask task, int seed) {
    Random random = new Random(seed);
    try (Connection connection = SERVERS.source().connect(task.name());
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int transaction = 0; transaction < 20; transaction++) {
        for (int change = 0; change < 1 + random.nextInt(6); change++) {
          statement.execute(change("t" + random.nextInt(TABLES), random));
        }
        if (random.nextInt(4) == 0) {
          connection.rollback();
        } else {
          connection.commit();
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String change(String table, Random random) {
    int id = 1 + random.nextInt(60);
    return switch (random.nextInt(4)) {
      case 0 ->
          "INSERT INTO %s SELECT %d, 'put in' WHERE NOT EXISTS (SELECT FROM %s WHERE id = %d)"
              .formatted(table, id, table, id);
      case 1 -> "DELETE FROM %s WHERE id = %d".formatted(table, id);
      case 2 ->
          "UPDATE %s SET id = id + 500 WHERE id = %d AND NOT EXISTS (SELECT FROM %s WHERE id = %d)"
              .formatted(table, id, table, id + 500);
      default ->
          "UPDATE %s SET v = right(v || %d, 40) WHERE id BETWEEN %d AND %d"
              .formatted(table, random.nextInt(10), id, id + 10);
    };
  }
}
