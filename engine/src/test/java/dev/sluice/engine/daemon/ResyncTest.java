package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.ResyncSteps.MISSED;
import static dev.sluice.engine.daemon.ResyncSteps.PATIENCE;
import static dev.sluice.engine.daemon.ResyncSteps.TABLES;
import static dev.sluice.engine.daemon.ResyncSteps.awaitStep;
import static dev.sluice.engine.daemon.ResyncSteps.cancel;
import static dev.sluice.engine.daemon.ResyncSteps.request;
import static dev.sluice.engine.daemon.ResyncSteps.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The resync of a whole task by difference, on real servers. */
@ExtendWith(SharedBroker.class)
class ResyncTest {
  private static EmbeddedPostgres source;
  private static EmbeddedPostgres target;

  @TempDir Path folder;

  @BeforeAll
  static void startServers() {
    source = EmbeddedPostgres.start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopServers() {
    source.close();
    target.close();
  }

  @Test
  void aTaskWhoseSlotIsLostIsMadeEqualAgainBesideAWriter() throws Exception {
    DdlTask task = DdlTask.make(folder, "lost", source, target, "");
    task.onSource(TABLES);
    loseSlot(task);
    task.onSource(MISSED);
    assertThatThrownBy(() -> RunningDaemon.replicating(task.config()))
        .hasMessageContaining("does not exist")
        .hasMessageContaining("sluice resync");

    request(task, true);

    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      try (Traffic writer = Traffic.besideResync(task, running, ResyncTest::write)) {
        awaitStep(task, running, "running");
        Outcome early = running.daemon().fence(Duration.ofMinutes(1), false);
        assertThat(early.success()).isFalse();
        assertThat(early.toString()).contains("is being resynced");
        awaitStep(task, running, "done");
        assertThat(writer.commits()).isPositive();
      }
      task.assertRowsEqual(running);
      assertThat(task.target("SELECT count(*) FROM sluice_control.sluice_apply_exceptions"))
          .isEqualTo("0");
    }
    // From now on the task is as strict as any.
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      task.onTarget("DELETE FROM item WHERE id = 10001");
      task.onSource("UPDATE item SET name = 'strict' WHERE id = 10001");
      await().atMost(PATIENCE).until(() -> running.end().isCompletedExceptionally());
      assertThatThrownBy(() -> running.end().join()).hasMessageContaining("id=10001");
    }
  }

  @Test
  void aTaskWhoseSlotWasInvalidatedAndWhoseJournalIsLostIsMadeEqualAgain() throws Exception {
    try (EmbeddedPostgres small =
        EmbeddedPostgres.builder().setting("max_slot_wal_keep_size", "1MB").start()) {
      DdlTask task = DdlTask.make(folder, "invalidated", small, target, "").withOwnBroker();
      task.onSource(TABLES);
      try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
        running.awaitApplied();
      }
      task.onSource(MISSED);
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                task.onSource(
                    "SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000000))"
                        + " FROM generate_series(1, 20)",
                    "SELECT pg_switch_wal()",
                    "CHECKPOINT");
                return task.source("SELECT max(wal_status) FROM pg_replication_slots")
                    .equals("lost");
              });
      Files.move(folder.resolve("invalidated"), folder.resolve("away"));
      assertThatThrownBy(() -> RunningDaemon.replicating(task.config()))
          .hasMessageContaining("removed log that it needs")
          .hasMessageContaining("sluice resync");

      request(task, false);

      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  running.daemon().repair(List.of(), true);
                  return step(task).equals("done");
                });
        task.assertRowsEqual(running);
      }
    }
  }

  @Test
  void tablesThatAnotherToolHasFilledAreTakenOverAndExtraRowsAreOnlyDeletedOnRequest()
      throws Exception {
    DdlTask task = DdlTask.make(folder, "filled", source, target, "");
    Files.writeString(
        task.file(), Files.readString(task.file()).replace("full-load-and-cdc", "cdc"));
    task.onSource(TABLES);
    task.onTarget("CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10,2))");
    task.onTarget(TABLES);
    task.onTarget("INSERT INTO item VALUES (99999, 'extra', 1)");
    task.onSource(MISSED);

    assertThatThrownBy(() -> request(task, false)).hasMessageContaining("are not its own");
    Files.writeString(
        task.file(),
        Files.readString(task.file())
            .replace("data-dir:", "overwrite-target-rows: true\ndata-dir:"));
    request(task, false);

    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      awaitStep(task, running, "running");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  task.target(
                          "SELECT count(*) FROM sluice_control.sluice_validation_failures_v2"
                              + " WHERE failure_type = 'MISSING_SOURCE' AND key LIKE '%99999%'"
                              + " AND resync_result IS NULL")
                      .equals("1"));
      assertThat(task.target("SELECT count(*) FROM item WHERE id = 99999")).isEqualTo("1");
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                running.daemon().repair(List.of(), true);
                return step(task).equals("done");
              });
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aResyncThatIsBrokenOffContinues() throws Exception {
    DdlTask task = DdlTask.make(folder, "broken", source, target, "");
    task.onSource(TABLES);
    loseSlot(task);
    task.onSource(MISSED);
    request(task, true);
    for (int i = 0; i < 3; i++) {
      task.onSource("UPDATE item SET price = %d WHERE id %% 10 = 5".formatted(i));
      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        awaitStep(task, running, "running", "done");
        // Also a resync that has begun may be begun again.
      }
      if (i == 1) {
        request(task, true);
        assertThat(step(task)).isEqualTo("requested");
      }
    }
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      awaitStep(task, running, "done");
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aSuspendedTableWhoseRowsAreIncompleteIsMadeEqualWithItsTask() throws Exception {
    DdlTask task = DdlTask.make(folder, "incomplete", source, target, "");
    task.onSource(TABLES);
    TableId doc = new TableId("public", "doc");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      task.onTarget(
          "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
              + " $$ BEGIN RAISE 'no row today'; END $$",
          "CREATE TRIGGER refuse BEFORE INSERT ON doc FOR EACH ROW EXECUTE FUNCTION refuse()",
          "ALTER TABLE doc ENABLE ALWAYS TRIGGER refuse");
      assertThat(running.daemon().reload(List.of(doc)).success()).isTrue();
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  "suspended"
                      .equals(
                          task.target(
                              "SELECT max(state) FROM sluice_control.sluice_suspended_tables"
                                  + " WHERE NOT rows_whole")));
      task.onTarget("DROP TRIGGER refuse ON doc");
      for (Outcome refused :
          List.of(
              running.daemon().resync(List.of(doc), false),
              running.daemon().resume(List.of(doc)))) {
        assertThat(refused.success()).isFalse();
        assertThat(refused.toString())
            .contains("was not copied completely")
            .contains("sluice stop, sluice resync, sluice run");
      }
    }
    request(task, false);
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      awaitStep(task, running, "done");
      assertThat(task.target("SELECT count(*) FROM sluice_control.sluice_suspended_tables"))
          .isEqualTo("0");
      assertThat(task.target("SELECT count(*) FROM doc")).isEqualTo("200");
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aRequestIsRefusedWhereARowCouldBeLostAndCanBeTakenBack() throws Exception {
    DdlTask task = DdlTask.make(folder, "refused", source, target, "");
    task.onSource(TABLES);
    assertThatThrownBy(() -> request(task, false))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("its load is not done");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      assertThatThrownBy(() -> request(task, false)).hasMessageContaining("already runs");
      TaskConfig copy = copied(task);
      try (TaskLock lock = TaskLock.take("refused", copy.dataDir())) {
        assertThatThrownBy(() -> ResyncRequest.of(copy).make(lock, false))
            .hasMessageContaining("a daemon of it runs");
      }
    }
    request(task, false);
    assertThat(cancel(task)).isTrue();
    assertThat(cancel(task)).isFalse();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      assertThat(step(task)).isEqualTo("cancelled");
      assertThat(running.cutover(PATIENCE).success()).isTrue();
    }
    assertThatThrownBy(() -> request(task, false)).hasMessageContaining("it was cut over");
  }

  private TaskConfig copied(DdlTask task) throws Exception {
    Path copy =
        Files.writeString(
            folder.resolve("copy.yaml"),
            Files.readString(task.file()).replace("data-dir: ", "data-dir: /tmp/sluice-copy"));
    return new DdlTask(task.name(), copy, source, target).config();
  }

  private void loseSlot(DdlTask task) throws Exception {
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                task.source("SELECT count(*) FROM pg_replication_slots WHERE active").equals("0"));
    task.source(
        "SELECT pg_drop_replication_slot(slot_name)::text FROM pg_replication_slots"
            + " WHERE database = current_database()");
  }

  private static void write(Statement statement, Random random) throws SQLException {
    int id = 1 + random.nextInt(3000);
    switch (random.nextInt(4)) {
      case 0 -> statement.execute("UPDATE item SET name = 'w' WHERE id = " + id);
      case 1 -> statement.execute("DELETE FROM item WHERE id = " + id);
      case 2 ->
          statement.execute(
              "INSERT INTO item VALUES (%d, 'again', 1) ON CONFLICT (id) DO NOTHING".formatted(id));
      default -> exchangeSeats(statement, 1 + id % 1000, 1 + random.nextInt(1000));
    }
  }

  private static void exchangeSeats(Statement statement, int one, int other) throws SQLException {
    if (one != other) {
      statement.execute(
          """
          DO $$ DECLARE a int; b int; BEGIN
            SELECT place INTO a FROM seat WHERE id = %1$d;
            SELECT place INTO b FROM seat WHERE id = %2$d;
            UPDATE seat SET place = -id WHERE id IN (%1$d, %2$d);
            UPDATE seat SET place = b WHERE id = %1$d;
            UPDATE seat SET place = a WHERE id = %2$d;
          END $$"""
              .formatted(one, other));
    }
  }
}
