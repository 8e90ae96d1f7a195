package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows of a target that is as strict as YugabyteDB are made equal to the source's, also while
 * statements, connections and commits fail: repair, and resync of tables and tasks.
 */
@ExtendWith(SharedBroker.class)
@Timeout(900)
class YugabyteRepairTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final TableId ITEM = new TableId("shop", "item");

  private static final String[] TABLES = {
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.item (id int PRIMARY KEY, name varchar(40), price numeric(10,2))",
    "INSERT INTO shop.item SELECT i, 'name ' || i, i FROM generate_series(1, 2000) i",
    "CREATE TABLE shop.seat (id int PRIMARY KEY, place int UNIQUE, note varchar(40))",
    "INSERT INTO shop.seat SELECT i, i, 'seat ' || i FROM generate_series(1, 300) i"
  };

  /** What a task misses: new, changed and deleted rows, and exchanged unique values. */
  private static final String[] MISSED = {
    "UPDATE shop.item SET price = -1 WHERE id % 100 = 0",
    "DELETE FROM shop.item WHERE id % 100 = 1",
    "INSERT INTO shop.item SELECT i, 'late ' || i, NULL FROM generate_series(10001, 10020) i",
    "UPDATE shop.seat SET place = place + 5000 WHERE place > 280",
    "UPDATE shop.seat SET place = 281 + 300 - (place - 5000) WHERE place > 5000"
  };

  /** Different, missing and extra rows, and exchanged unique values. */
  private static final String[] PLANTED = {
    "UPDATE shop.item SET name = 'wrong' WHERE id IN (1901, 1902)",
    "DELETE FROM shop.item WHERE id = 1903",
    "INSERT INTO shop.item VALUES (99999, 'extra', 1)",
    "UPDATE shop.seat SET place = -1 WHERE id = 291",
    "UPDATE shop.seat SET place = 291 WHERE id = 292",
    "UPDATE shop.seat SET place = 292 WHERE id = 291"
  };

  private static final List<String> ROWS =
      List.of(
          "SELECT concat_ws('|', id, name, price) FROM shop.item ORDER BY id",
          "SELECT concat_ws('|', id, place, note) FROM shop.seat ORDER BY id");

  private static final String STEP =
      "SELECT COALESCE(MAX(state), '') FROM sluice_control.task_step WHERE step = 'resync'";

  private static final String REPAIRED =
      "SELECT resync_action || \"key\" FROM sluice_control.sluice_validation_failures_v2"
          + " WHERE resync_result = 'REPAIRED'";

  /** So many of a thousand statements fail, and of the commits five times as many. */
  private static final int FAILING = 10;

  /** A resync notes many rows in one transaction, each by statements of its own. */
  private static final int FAILING_OF_RESYNC = 3;

  @RegisterExtension static final YugabyteServers SERVERS = new YugabyteServers();

  @TempDir Path folder;

  @Test
  void plantedRowsAreRepairedBesideAWriterAndNothingElseIsTouched() throws Exception {
    TaskConfig config = created("planted", "").config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      try (Traffic writer = traffic("planted", running::passFence)) {
        onTarget("planted", PLANTED);
        assertThat(validate(running).ending()).isEqualTo(Ending.FAILED);
        try (Connection other = SERVERS.connectToTarget("planted");
            Statement statement = other.createStatement()) {
          other.setAutoCommit(false);
          statement.execute("UPDATE shop.item SET name = 'theirs' WHERE id = 1901");

          Outcome beside = running.daemon().repair(List.of(), false);

          assertThat(beside.success()).isFalse();
          assertThat(beside.details())
              .anyMatch(
                  line ->
                      line.startsWith("shop.item: 2 rows repaired")
                          && line.endsWith(
                              "rows in open transactions of others: {\"id\":\"1901\"}"));
          other.rollback();
        }

        Outcome without = running.daemon().repair(List.of(), false);

        assertThat(without.success()).isFalse();
        assertThat(without.details())
            .anyMatch(line -> line.contains("--delete-extra deletes them"));
        assertThat(onTarget("planted", "SELECT id FROM shop.item WHERE id = 99999"))
            .containsExactly("99999");
        Outcome outcome = running.daemon().repair(List.of(), true);
        assertThat(outcome.success()).as(outcome.toString()).isTrue();
        assertThat(writer.commits()).isPositive();
      }
      requireEqual(running, "planted");
      assertThat(onTarget("planted", REPAIRED))
          .containsExactlyInAnyOrder(
              "UPSERT{\"id\":\"1901\"}",
              "UPSERT{\"id\":\"1902\"}",
              "UPSERT{\"id\":\"1903\"}",
              "DELETE{\"id\":\"99999\"}",
              "UPSERT{\"id\":\"291\"}",
              "UPSERT{\"id\":\"292\"}");
    }
  }

  @Test
  void theSettingRepairsBesideAWriterWhateverFails() throws Exception {
    TaskConfig config =
        created(
                "setting",
                ", ValidationSettings: {EnableValidation: true, PartitionSize: 100},"
                    + " Sluice: {ValidationDutyCycle: 100, ValidationRepair: repair-and-delete-extra}")
            .config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      try (Traffic writer = traffic("setting", running::passFence)) {
        onTarget("setting", PLANTED);
        int before = faults();
        SERVERS.proxy().fail(FAILING);
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofSeconds(1))
            .until(
                () -> {
                  running.daemon().validate(List.of(), Optional.empty());
                  return onTarget("setting", REPAIRED).size() >= 6 && faults() > before + 20;
                });
        assertThat(writer.commits()).isPositive();
      } finally {
        SERVERS.proxy().fail(0);
      }
      awaitEqual(running, "setting");
    }
  }

  @Test
  void aCommitOfARepairThatIsNotAnsweredIsFoundByTheNextComparison() throws Exception {
    TaskConfig config = created("unanswered", "").config();
    String note = "update name.name set resync_result";
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      onTarget("unanswered", PLANTED);
      assertThat(validate(running).ending()).isEqualTo(Ending.FAILED);
      SERVERS
          .proxy()
          .beforeEach(note, () -> SERVERS.proxy().failOnce("commit", Fault.LOST_AFTER_COMMIT));

      running.daemon().repair(List.of(), true);

      SERVERS.proxy().beforeEach(note, () -> {});
      running.daemon().repair(List.of(), true);
      awaitEqual(running, "unanswered");
      assertThat(SERVERS.proxy().faults()).containsKey(Fault.LOST_AFTER_COMMIT);
      assertThat(onTarget("unanswered", REPAIRED)).hasSize(6).doesNotHaveDuplicates();
    }
  }

  @Test
  void aTableIsResyncedWhileTheOthersGoOn() throws Exception {
    TaskConfig config = created("table", "").config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      onTarget(
          "table",
          "UPDATE shop.item SET price = price + 1 WHERE id % 3 = 0 AND id > 1900",
          "DELETE FROM shop.item WHERE id % 7 = 0 AND id > 1900",
          "INSERT INTO shop.item VALUES (99999, 'extra', 1)");
      try (Traffic writer = traffic("table", running::passFence)) {
        Outcome left = running.daemon().resync(List.of(ITEM), false);
        assertThat(left.ending()).as(left.toString()).isEqualTo(Ending.FAILED);
        Outcome outcome = running.daemon().resync(List.of(ITEM), true);
        assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.DONE);
        assertThat(writer.commits()).isPositive();
      }
      requireEqual(running, "table");
    }
  }

  @Test
  void aTaskWhoseLogIsLostIsMadeEqualAgainBesideAWriterAlsoIfItIsBrokenOff() throws Exception {
    TaskConfig config = created("lost", "").config();
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
    }
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                onSource("lost", "SELECT count(*) FROM pg_replication_slots WHERE active")
                    .equals(List.of("0")));
    onSource(
        "lost",
        "SELECT pg_drop_replication_slot(slot_name)::text FROM pg_replication_slots WHERE database = current_database()");
    onSource("lost", MISSED);
    assertThatThrownBy(() -> RunningDaemon.replicating(config))
        .hasMessageContaining("does not exist")
        .hasMessageContaining("sluice resync");

    request(config);

    for (int broken = 0; broken < 2; broken++) {
      try (RunningDaemon running = RunningDaemon.start(config)) {
        awaitStep(running, "running", "done");
        onSource("lost", "UPDATE shop.item SET name = 'meanwhile' WHERE id % 100 = 5");
      }
    }
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      SERVERS.proxy().fail(FAILING_OF_RESYNC);
      try (Traffic writer = traffic("lost", running::passFence)) {
        awaitStep(running, "done");
        assertThat(writer.commits()).isPositive();
      } finally {
        SERVERS.proxy().fail(0);
      }
      requireEqual(running, "lost");
      assertThat(onTarget("lost", "SELECT COUNT(*) FROM sluice_control.sluice_apply_exceptions"))
          .containsExactly("0");
    }
    // From now on the task is as strict as any.
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      onTarget("lost", "DELETE FROM shop.item WHERE id = 10001");
      onSource("lost", "UPDATE shop.item SET name = 'strict' WHERE id = 10001");
      await().atMost(PATIENCE).until(() -> running.end().isCompletedExceptionally());
      assertThatThrownBy(() -> running.end().join()).hasMessageContaining("id=10001");
    }
  }

  private static int faults() {
    return SERVERS.proxy().faults().values().stream().mapToInt(Integer::intValue).sum();
  }

  private static Outcome validate(RunningDaemon running) throws InterruptedException {
    return running.daemon().validate(List.of(), Optional.empty());
  }

  private static void requireEqual(RunningDaemon running, String database) throws Exception {
    running.awaitApplied();
    Outcome outcome = validate(running);
    assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.DONE);
    for (String rows : ROWS) {
      assertThat(onTarget(database, rows)).isEqualTo(onSource(database, rows));
    }
  }

  /** The same once what an earlier comparison has found is repaired. */
  private static void awaitEqual(RunningDaemon running, String database) throws Exception {
    running.awaitApplied();
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> validate(running).ending() == Ending.DONE);
    requireEqual(running, database);
  }

  private static void request(TaskConfig config) {
    try (TaskLock lock = TaskLock.take(config.task().toString(), config.dataDir())) {
      ResyncRequest.of(config).make(lock, true);
    }
  }

  private static void awaitStep(RunningDaemon running, String... states) {
    await("resync " + List.of(states))
        .atMost(PATIENCE)
        .until(
            () -> {
              if (running.end().isCompletedExceptionally()) {
                running.end().join();
              }
              return List.of(states).containsAll(onTarget("lost", STEP));
            });
  }

  private static Traffic traffic(String database, Runnable catchUp) {
    return Traffic.on(SERVERS.source(), database, catchUp, YugabyteRepairTest::write);
  }

  /** Leaves the rows with the largest keys to those who plant faults. */
  private static void write(Statement statement, Random random) throws SQLException {
    int id = 1 + random.nextInt(1900);
    switch (random.nextInt(4)) {
      case 0 -> statement.execute("UPDATE shop.item SET name = 'w' WHERE id = " + id);
      case 1 -> statement.execute("DELETE FROM shop.item WHERE id = " + id);
      case 2 ->
          statement.execute(
              "INSERT INTO shop.item VALUES (%d, 'again', 1) ON CONFLICT (id) DO NOTHING"
                  .formatted(id));
      default ->
          statement.execute(
              "UPDATE shop.seat SET place = place + 100000 WHERE id = " + (1 + id % 280));
    }
  }

  private TaskFolder created(String database, String settings) throws Exception {
    SERVERS.createDatabase(database);
    onSource(database, TABLES);
    return SERVERS
        .task(folder.resolve(database), database)
        .settings(
            ("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                    + " ErrorBehavior: {RecoverableErrorInterval: 0.2, RecoverableErrorThrottling: false}%s}")
                .formatted(settings));
  }

  private static List<String> onSource(String database, String... statements) throws SQLException {
    return SERVERS.onSource(database, statements);
  }

  private static List<String> onTarget(String database, String... statements) throws SQLException {
    return SERVERS.onTarget(database, statements);
  }
}
