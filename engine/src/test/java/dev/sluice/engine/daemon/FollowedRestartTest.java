package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.journal.Journal;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.status.ValidationStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A daemon that is started again, beside rows that were changed and not compared before. */
@ExtendWith(SharedBroker.class)
class FollowedRestartTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String ENABLED =
      "ValidationSettings: { EnableValidation: true, PartitionSize: 100 }\n"
          + "  Sluice: { ValidationDutyCycle: 100 }";

  private static final List<String> TABLES = List.of("item", "word", "part");

  private static final String FOLLOWED =
      "SELECT count(*) FROM sluice_control.validation_table t JOIN"
          + " sluice_control.validation_journal j ON t.task = j.task AND t.followed_epoch = j.epoch";

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

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void tablesStayFollowedAndADifferenceInARowThatWasChangedBeforeIsFound(int lanes)
      throws Exception {
    DdlTask task = task("found" + lanes, lanes);
    changeWithoutComparing(task);
    plant(task);
    List<String> readBefore = readPositions(task);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitFollowedAndCompared(running);
      assertThat(readPositions(task)).isEqualTo(readBefore);
      assertThat(validation(running).tables())
          .allMatch(table -> table.failed() == 1, "the planted row is found");
      assertThat(validation(running).start()).startsWith("the journal was read again from offset");
    }
    // What was compared is remembered, too: another start finds the same, and reads no table.
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitFollowedAndCompared(running);
      assertThat(validation(running).failed()).isEqualTo(3);
      assertThat(readPositions(task)).isEqualTo(readBefore);
    }
  }

  @Test
  void rowsThatAreEqualAreProvenWithoutAnotherPass() throws Exception {
    DdlTask task = task("equal", 1);
    changeWithoutComparing(task);
    List<String> readBefore = readPositions(task);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      assertThat(readPositions(task)).isEqualTo(readBefore);
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aJournalThatLacksThePartProvesNothing() throws Exception {
    DdlTask task = task("trimmed", 1);
    changeWithoutComparing(task);
    plant(task);
    List<String> readBefore = readPositions(task);
    try (Journal journal =
        new Journal(
            Map.copyOf(task.config().kafka().orElseThrow().asMap()),
            JournalTopics.ofTask("trimmed"))) {
      assertThat(journal.startOffset())
          .as("the journal is kept for the start")
          .isLessThanOrEqualTo(
              Long.parseLong(
                  task.target("SELECT next_offset FROM sluice_control.validation_journal")));
      journal.deleteUpTo(
          Long.parseLong(task.target("SELECT next_offset FROM sluice_control.checkpoint")));
    }
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitFollowedAndCompared(running);
      assertThat(readPositions(task)).doesNotContainAnyElementsOf(readBefore);
      assertThat(validation(running).failed()).isEqualTo(3);
      assertThat(validation(running).start())
          .contains("tables are read again after the start: the journal does not have the changes");
    }
  }

  @Test
  void aTableThatIsReloadedIsNotTakenOver() throws Exception {
    DdlTask task = task("reloaded", 1);
    List<String> readBefore;
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitStored(task, running);
      readBefore = readPositions(task);
      try (Connection holder = source.connect("reloaded")) {
        // The reload waits for it.
        lock(holder, "item");
        assertThat(running.daemon().reload(List.of(new TableId("public", "item"))).success())
            .isTrue();
        assertThat(task.target(FOLLOWED + " WHERE source_table = 'item'")).isEqualTo("0");
        assertThat(task.target(FOLLOWED)).isEqualTo("2");
        running.daemon().stop(false);
        holder.rollback();
      }
    }
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      assertThat(readPositions(task).get(0)).isNotEqualTo(readBefore.get(0));
      assertThat(readPositions(task).subList(1, 3)).isEqualTo(readBefore.subList(1, 3));
    }
  }

  @Test
  void aTableThatWasTruncatedIsReadAgain() throws Exception {
    DdlTask task = task("truncated", 1);
    List<String> readBefore;
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitStored(task, running);
      readBefore = readPositions(task);
      try (Locked locked =
          Locked.after(task, "BEGIN; TRUNCATE item; INSERT INTO item VALUES (1)")) {
        await().atMost(PATIENCE).until(() -> task.target("SELECT count(*) FROM item").equals("1"));
        locked.endWhileHeld(running);
      }
    }
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      assertThat(readPositions(task).get(0)).isNotEqualTo(readBefore.get(0));
      assertThat(readPositions(task).subList(1, 3)).isEqualTo(readBefore.subList(1, 3));
    }
  }

  @Test
  void anotherNumberOfLanesTakesNothingOver() throws Exception {
    DdlTask task = task("lanes", 1);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitStored(task, running);
    }
    List<String> readBefore = readPositions(task);
    inLanes(task, 3);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      assertThat(readPositions(task)).doesNotContainAnyElementsOf(readBefore);
      assertThat(validation(running).start()).contains("the number of lanes was 1 then, and is 3");
    }
  }

  @Test
  void aTargetThatWasSetBackTakesNothingOver() throws Exception {
    DdlTask task = task("setback", 1);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitStored(task, running);
    }
    List<String> readBefore = readPositions(task);
    onTargetServer(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = 'setback'",
        "CREATE DATABASE setback_backup TEMPLATE setback");
    // Its changes are kept in the journal, so that the restored target can continue.
    changeWithoutComparing(task);
    onTargetServer(
        "DROP DATABASE setback WITH (FORCE)", "ALTER DATABASE setback_backup RENAME TO setback");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      assertThat(readPositions(task)).doesNotContainAnyElementsOf(readBefore);
      assertThat(validation(running).start()).contains("tables are read again after the start");
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aSourceOfAnotherTimelineTakesNothingOver() throws Exception {
    DdlTask task = task("timeline", 1);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitStored(task, running);
    }
    List<String> readBefore = readPositions(task);
    task.onTarget("UPDATE sluice_control.validation_journal SET source_timeline = 9");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      assertThat(readPositions(task)).doesNotContainAnyElementsOf(readBefore);
      assertThat(validation(running).start()).contains("the source was");
    }
  }

  /** A row of each table is changed and applied, but no session can compare it. */
  private static void changeWithoutComparing(DdlTask task) throws Exception {
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      awaitStored(task, running);
      try (Locked locked =
          Locked.after(
              task,
              "BEGIN; UPDATE item SET name = 'changed' WHERE id = 5; UPDATE word SET n = -5"
                  + " WHERE n = 5; UPDATE part SET big = 'changed' WHERE id = 5")) {
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    task.target(
                            "SELECT count(*) FROM item, word, part WHERE name = 'changed' AND n = -5"
                                + " AND big = 'changed'")
                        .equals("1"));
        await().atMost(PATIENCE).until(() -> validation(running).touched() == 3);
        locked.endWhileHeld(running);
      }
    }
  }

  /** In the rows that were changed, and in nothing else. */
  private static void plant(DdlTask task) throws SQLException {
    task.onTarget(
        "UPDATE item SET price = 99 WHERE id = 5",
        "UPDATE word SET n = -6 WHERE n = -5",
        "DELETE FROM part WHERE id = 5");
  }

  /** Holds the source's tables from the moment at which a transaction ends. */
  private record Locked(List<Connection> holders) implements AutoCloseable {

    static Locked after(DdlTask task, String transaction) throws Exception {
      List<Connection> holders = new ArrayList<>();
      List<CompletableFuture<Void>> locks = new ArrayList<>();
      try (Connection writer = source.connect(task.name());
          Statement statement = writer.createStatement()) {
        statement.execute(transaction);
        for (String table : TABLES) {
          statement.execute("LOCK TABLE " + table + " IN ROW EXCLUSIVE MODE");
          Connection holder = source.connect(task.name());
          holders.add(holder);
          locks.add(CompletableFuture.runAsync(() -> lock(holder, table)));
        }
        await()
            .atMost(PATIENCE)
            .until(
                () ->
                    task.source(
                            "SELECT count(*) FROM pg_locks WHERE NOT granted AND database ="
                                + " (SELECT oid FROM pg_database WHERE datname ="
                                + " current_database()) AND mode = 'AccessExclusiveLock'")
                        .equals("3"));
        statement.execute("COMMIT");
      }
      locks.forEach(CompletableFuture::join);
      return new Locked(holders);
    }

    void endWhileHeld(RunningDaemon running) throws SQLException {
      for (Connection holder : holders) {
        assertThat(holder.isClosed()).isFalse();
      }
      running.daemon().stop(false);
      running.awaitEnd();
    }

    @Override
    public void close() throws SQLException {
      for (Connection holder : holders) {
        holder.close();
      }
    }
  }

  private static void lock(Connection holder, String table) {
    try (Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitStored(DdlTask task, RunningDaemon running) {
    await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
    await().atMost(PATIENCE).until(() -> task.target(FOLLOWED).equals("3"));
  }

  private static void awaitFollowedAndCompared(RunningDaemon running) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              ValidationStatus now = validation(running);
              return now.tables().size() == 3
                  && now.tables().stream()
                      .allMatch(
                          table ->
                              table.followed() && table.touched() == 0 && table.pending() == 0);
            });
  }

  private static List<String> readPositions(DdlTask task) throws SQLException {
    List<String> positions = new ArrayList<>();
    for (String table : TABLES) {
      positions.add(
          task.target(
              "SELECT read_position FROM sluice_control.validation_table WHERE source_table = '%s'"
                  .formatted(table)));
    }
    return positions;
  }

  private static ValidationStatus validation(RunningDaemon running) {
    ValidationStatus validation = running.daemon().status().validation();
    assertThat(validation).isNotNull();
    return validation;
  }

  private DdlTask task(String name, int lanes) throws Exception {
    DdlTask task = DdlTask.make(folder, name, source, target, ENABLED);
    inLanes(task, lanes);
    task.onSource(
        "INSERT INTO item SELECT i, 'name ' || i, i / 7.0 FROM generate_series(1, 2000) i",
        "CREATE TABLE word (word text PRIMARY KEY, n int)",
        "INSERT INTO word SELECT md5(i::text), i FROM generate_series(1, 1000) i",
        "CREATE TABLE part (id int PRIMARY KEY, big text) PARTITION BY RANGE (id)",
        "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (500)",
        "CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (500) TO (10000)",
        "INSERT INTO part SELECT i, repeat(md5(i::text), 100) FROM generate_series(1, 1000) i");
    return task;
  }

  private static void inLanes(DdlTask task, int lanes) throws Exception {
    if (lanes > 1) {
      Files.writeString(
          task.file(),
          Files.readString(task.file())
              .replace(
                  "BatchApplyTimeoutMin: 0.1",
                  "BatchApplyTimeoutMin: 0.1, BatchApplyPreserveTransaction: false")
              .replace(
                  "task-settings:\n",
                  "task-settings:\n  TargetMetadata: { ParallelApplyThreads: " + lanes + " }\n"));
    }
  }

  private static void onTargetServer(String... statements) throws SQLException {
    try (Connection connection = target.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
