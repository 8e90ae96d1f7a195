package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.ToDb2;
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

/** Rows of a Db2 target are made equal to the source's: repair, and resync of tables and tasks. */
@ExtendWith(SharedBroker.class)
@Timeout(900)
class Db2RepairTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final TableId ITEM = new TableId("shop", "item");
  private static final List<String> TABLES = List.of("item", "seat");

  private static final String[] ON_SOURCE = {
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.item (id int PRIMARY KEY, name varchar(40), price numeric(10,2))",
    "INSERT INTO shop.item SELECT i, 'name ' || i, i FROM generate_series(1, 300) i",
    "CREATE TABLE shop.seat (id int PRIMARY KEY, place int UNIQUE, note varchar(40))",
    "INSERT INTO shop.seat SELECT i, i, 'seat ' || i FROM generate_series(1, 100) i"
  };

  /** What a task misses: new, changed and deleted rows, and exchanged unique values. */
  private static final String[] MISSED = {
    "UPDATE shop.item SET price = -1 WHERE id % 10 = 0",
    "DELETE FROM shop.item WHERE id % 10 = 1",
    "INSERT INTO shop.item SELECT i, 'late ' || i, NULL FROM generate_series(10001, 10050) i",
    "UPDATE shop.seat SET place = place + 5000",
    "UPDATE shop.seat SET place = 101 - (place - 5000)"
  };

  @RegisterExtension static final ToDb2 SIDES = new ToDb2();

  @TempDir Path folder;

  @Test
  void plantedRowsAreRepairedBesideAWriterAndNothingElseIsTouched() throws Exception {
    TaskConfig config = created("planted", "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      try (Traffic writer = traffic("planted", running)) {
        onTarget(
            "UPDATE shop.item SET name = 'wrong' WHERE id IN (291, 292)",
            "DELETE FROM shop.item WHERE id = 293",
            "INSERT INTO shop.item VALUES (99999, 'extra', 1)",
            "UPDATE shop.seat SET place = -1 WHERE id = 91",
            "UPDATE shop.seat SET place = 91 WHERE id = 92",
            "UPDATE shop.seat SET place = 92 WHERE id = 91");
        assertThat(running.daemon().validate(List.of(), Optional.empty()).ending())
            .isEqualTo(Ending.FAILED);

        Outcome without = running.daemon().repair(List.of(), false);

        assertThat(without.success()).isFalse();
        assertThat(without.details())
            .as(without.toString())
            .anyMatch(line -> line.contains("--delete-extra deletes them"));
        assertThat(onTarget("SELECT COUNT(*) FROM shop.item WHERE id = 99999"))
            .containsExactly("1");
        Outcome outcome = running.daemon().repair(List.of(), true);
        assertThat(outcome.success()).as(outcome.toString()).isTrue();
        assertThat(writer.commits()).isPositive();
      }
      requireEqual(running, "planted");
      assertThat(
              onTarget(
                  "SELECT resync_action || \"key\" FROM sluice_control.sluice_validation_failures_v2"
                      + " WHERE resync_result = 'REPAIRED'"))
          .containsExactlyInAnyOrder(
              "UPSERT{\"id\":\"291\"}",
              "UPSERT{\"id\":\"292\"}",
              "UPSERT{\"id\":\"293\"}",
              "DELETE{\"id\":\"99999\"}",
              "UPSERT{\"id\":\"91\"}",
              "UPSERT{\"id\":\"92\"}");
    }
  }

  @Test
  void theSettingRepairsWhateverOthersWriteToTheTarget() throws Exception {
    TaskConfig config =
        created(
            "setting",
            ", ValidationSettings: {EnableValidation: true, PartitionSize: 100},"
                + " Sluice: {ValidationDutyCycle: 100, ValidationRepair: repair-and-delete-extra}");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      onTarget(
          "UPDATE shop.item SET name = 'theirs' WHERE id = 250",
          "DELETE FROM shop.item WHERE id = 260",
          "INSERT INTO shop.item VALUES (99990, 'theirs', 1)");
      running.daemon().validate(List.of(), Optional.empty());
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(
                          onTarget(
                              "SELECT COUNT(*) FROM sluice_control.sluice_validation_failures_v2 WHERE resync_result = 'REPAIRED'"))
                      .containsExactly("3"));
      requireEqual(running, "setting");
    }
  }

  @Test
  void aTableIsResyncedWhileTheOthersGoOn() throws Exception {
    TaskConfig config = created("table", "");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      onTarget(
          "UPDATE shop.item SET price = price + 1 WHERE id > 290",
          "DELETE FROM shop.item WHERE id = 296",
          "INSERT INTO shop.item VALUES (99999, 'extra', 1)");
      try (Traffic writer = traffic("table", running)) {
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
    TaskConfig config = created("lost", "");
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
    try (TaskLock lock = TaskLock.take(config.task().toString(), config.dataDir())) {
      ResyncRequest.of(config).make(lock, true);
    }
    for (int broken = 0; broken < 2; broken++) {
      try (RunningDaemon running = RunningDaemon.start(config)) {
        awaitStep(running, "running", "done");
        onSource("lost", "UPDATE shop.item SET name = 'meanwhile' WHERE id % 100 = 5");
      }
    }
    try (RunningDaemon running = RunningDaemon.start(config)) {
      try (Traffic writer = traffic("lost", running)) {
        awaitStep(running, "done");
        assertThat(writer.commits()).isPositive();
      }
      requireEqual(running, "lost");
    }
  }

  private static void requireEqual(RunningDaemon running, String database) throws Exception {
    running.awaitApplied();
    Outcome outcome = running.daemon().validate(List.of(), Optional.empty());
    assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.DONE);
    SIDES.requireEqual(database, "shop", TABLES);
  }

  private static void awaitStep(RunningDaemon running, String... states) {
    await("resync " + List.of(states))
        .atMost(PATIENCE)
        .until(
            () -> {
              if (running.end().isCompletedExceptionally()) {
                running.end().join();
              }
              return List.of(states)
                  .containsAll(
                      onTarget(
                          "SELECT COALESCE(MAX(state), '') FROM sluice_control.task_step WHERE step = 'resync'"));
            });
  }

  private static Traffic traffic(String database, RunningDaemon running) {
    return Traffic.on(SIDES.source(), database, running::passFence, Db2RepairTest::write);
  }

  /** Leaves the rows with the largest keys to those who plant faults. */
  private static void write(Statement statement, Random random) throws SQLException {
    int id = 1 + random.nextInt(280);
    switch (random.nextInt(3)) {
      case 0 -> statement.execute("UPDATE shop.item SET name = 'w' WHERE id = " + id);
      case 1 -> statement.execute("DELETE FROM shop.item WHERE id = " + id);
      default ->
          statement.execute(
              "INSERT INTO shop.item VALUES (%d, 'again', 1) ON CONFLICT (id) DO NOTHING"
                  .formatted(id));
    }
  }

  private TaskConfig created(String database, String settings) throws Exception {
    SIDES.source().createDatabase(database);
    onSource(database, ON_SOURCE);
    SIDES.createShop();
    onTarget(
        "CREATE TABLE shop.item (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(160),"
            + " price DECIMAL(10,2))",
        "CREATE TABLE shop.seat (id INTEGER NOT NULL PRIMARY KEY, place INTEGER UNIQUE,"
            + " note VARCHAR(160))");
    return SIDES
        .task(
            folder,
            database,
            ("{FullLoadSettings: {TargetTablePrepMode: DO_NOTHING}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1},"
                    + " ErrorBehavior: {RecoverableErrorInterval: 0.2}%s}")
                .formatted(settings))
        .config();
  }

  private static List<String> onSource(String database, String... statements) throws SQLException {
    return SIDES.onSource(database, statements);
  }

  private static List<String> onTarget(String... statements) throws SQLException {
    try (Connection session = SIDES.connectQuoting()) {
      return Sql.texts(session, statements);
    }
  }
}
