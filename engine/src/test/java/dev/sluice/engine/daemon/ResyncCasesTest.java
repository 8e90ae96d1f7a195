package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.ResyncSteps.MISSED;
import static dev.sluice.engine.daemon.ResyncSteps.PATIENCE;
import static dev.sluice.engine.daemon.ResyncSteps.TABLES;
import static dev.sluice.engine.daemon.ResyncSteps.awaitStep;
import static dev.sluice.engine.daemon.ResyncSteps.request;
import static dev.sluice.engine.daemon.ResyncSteps.resync;
import static dev.sluice.engine.daemon.ResyncSteps.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A resync after a failover or a restore of the source, and with another filter. */
@ExtendWith(SharedBroker.class)
class ResyncCasesTest {
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
  void aSourceThatFailedOverWithoutTheSlotAndWithoutSomeChangesIsFollowedAfterAResync()
      throws Exception {
    EmbeddedPostgres primary =
        EmbeddedPostgres.builder().directory(folder.resolve("primary")).start();
    DdlTask task = DdlTask.make(folder, "failedover", primary, target, "");
    task.onSource(TABLES);
    ServerCopy.standbyOf(primary, folder.resolve("standby"));
    try (EmbeddedPostgres standby =
        EmbeddedPostgres.builder().directory(folder.resolve("standby")).start()) {
      DdlTask after = followed(task, standby);
      try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
        task.onSource("UPDATE item SET name = 'on both' WHERE id <= 100");
        running.awaitApplied();
        awaitReplayed(task, after);
        cutOff(standby);
        task.onSource(
            "UPDATE item SET name = 'lost' WHERE id % 3 = 0",
            "INSERT INTO item VALUES (20001, 'lost', 1)", "DELETE FROM doc WHERE id <= 20");
        running.awaitApplied();
      }
      primary.close();
      after.source("SELECT pg_promote(true, 300)::text");
      after.onSource(MISSED);
      moveTo(after, primary.port());
      assertThatThrownBy(() -> RunningDaemon.replicating(after.config()))
          .hasMessageContaining("does not exist, since the source failed over from timeline 1 to 2")
          .hasMessageContaining("sluice resync");

      resync(after);
      assertFollowed(after);
    }
  }

  @Test
  void aSourceThatWasRestoredToAnEarlierTimeIsFollowedAfterAResync() throws Exception {
    DdlTask task = aheadOfBackup("restored");
    Files.createFile(folder.resolve("backup/standby.signal"));
    try (EmbeddedPostgres restored = startBackup(task)) {
      DdlTask after = followed(task, restored);
      after.source("SELECT pg_promote(true, 300)::text");
      after.onSource("UPDATE item SET name = 'after' WHERE id <= 10");
      assertThatThrownBy(() -> RunningDaemon.replicating(after.config()))
          .hasMessageContaining("since the source failed over from timeline 1 to 2")
          .hasMessageContaining("which it never had")
          .hasMessageContaining("sluice resync");

      request(after, false);
      try (RunningDaemon running = RunningDaemon.start(after.config())) {
        awaitStep(after, running, "running");
        String onlyOnTarget =
            "SELECT count(*) FROM sluice_control.sluice_validation_failures_v2"
                + " WHERE failure_type = 'MISSING_SOURCE' AND table_name = 'item'"
                + " AND resync_result IS NULL";
        await().atMost(PATIENCE).until(() -> after.target(onlyOnTarget).equals("300"));
        assertThat(after.target("SELECT count(*) FROM item WHERE id > 10000")).isEqualTo("300");
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  running.daemon().repair(List.of(), true);
                  return step(after).equals("done");
                });
        after.assertRowsEqual(running);
      }
    }
  }

  @Test
  void aSourceThatWasSetBackToACopyOfItsFilesIsFollowedAfterAResync() throws Exception {
    DdlTask task = aheadOfBackup("setback");
    try (EmbeddedPostgres restored = startBackup(task)) {
      DdlTask after = followed(task, restored);
      after.onSource("UPDATE item SET name = 'after' WHERE id <= 10");
      assertThatThrownBy(() -> RunningDaemon.replicating(after.config()))
          .hasMessageContaining("which it does not have")
          .hasMessageContaining("sluice resync");
      resync(after);
      assertFollowed(after);
    }
  }

  @Test
  void aResyncInsertsTheRowsThatAWidenedFilterSelectsAndDeletesThoseThatANarrowedOneDoesNot()
      throws Exception {
    DdlTask task = DdlTask.make(folder, "filtered", source, target, "");
    edit(
        task,
        "\"%\" }\n",
        """
        "%" }
              filters:
                - filter-type: source
                  column-name: id
                  filter-conditions: [ { filter-operator: lte, value: "2000" } ]
        """);
    task.onSource(
        "ALTER TABLE item REPLICA IDENTITY FULL",
        "INSERT INTO item SELECT i, 'n', 1 FROM generate_series(1, 3000) i");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    assertSelected(task, 2000);

    edit(task, "\"2000\"", "\"20000\"");
    task.onSource(
        "INSERT INTO item VALUES (20000, 'selected', 1), (20001, 'not selected', 1)",
        "UPDATE item SET name = 'missed' WHERE id % 10 = 0");
    assertThatThrownBy(() -> RunningDaemon.replicating(task.config()))
        .hasMessageContaining("those where (id <= 2000) so far")
        .hasMessageContaining("sluice resync");
    request(task, false);
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      awaitStep(task, running, "done");
      assertSelected(task, 20000);
    }

    edit(task, "\"20000\"", "\"1500\"");
    request(task, true);
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      awaitStep(task, running, "done");
      assertSelected(task, 1500);
    }
  }

  @Test
  void aTaskWhosePublicationSentLessForAWhileIsMadeEqualAgain() throws Exception {
    DdlTask task = DdlTask.make(folder, "less", source, target, "");
    task.onSource(TABLES);
    RunningDaemon running = RunningDaemon.replicating(task.config());
    running.awaitApplied();
    task.onSource("ALTER PUBLICATION sluice_less SET (publish = 'insert')");
    assertThatThrownBy(running::awaitEnd)
        .hasMessageContaining("it leaves operations out")
        .hasMessageContaining("sluice resync");
    task.onSource(MISSED);
    task.onSource(
        "ALTER PUBLICATION sluice_less SET (publish = 'insert, update, delete, truncate')",
        "ALTER PUBLICATION sluice_less DROP TABLE doc",
        "UPDATE doc SET body = 'not sent' WHERE id = 7",
        "ALTER PUBLICATION sluice_less ADD TABLE ONLY doc");

    resync(task);
    assertThat(task.target("SELECT body FROM doc WHERE id = 7")).isEqualTo("not sent");
  }

  /** The target has what the filter selects, and nothing else. */
  private static void assertSelected(DdlTask task, int last) throws Exception {
    String rows = "SELECT string_agg(i::text, ',' ORDER BY id) FROM item i";
    assertThat(task.target(rows)).isEqualTo(task.source(rows + " WHERE id <= " + last));
  }

  /** Backed up while the source was stopped; afterwards target and source had more changes. */
  private DdlTask aheadOfBackup(String name) throws Exception {
    Path data = folder.resolve("data");
    EmbeddedPostgres first = EmbeddedPostgres.builder().directory(data).start();
    DdlTask task = DdlTask.make(folder, name, first, target, "");
    task.onSource(TABLES);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    first.close();
    ServerCopy.ofStopped(data, folder.resolve("backup"));
    try (EmbeddedPostgres later =
        EmbeddedPostgres.builder().directory(data).port(first.port()).start()) {
      DdlTask still = followed(task, later);
      try (RunningDaemon running = RunningDaemon.replicating(still.config())) {
        still.onSource(MISSED);
        running.awaitApplied();
      }
    }
    return task;
  }

  private EmbeddedPostgres startBackup(DdlTask task) {
    return EmbeddedPostgres.builder()
        .directory(folder.resolve("backup"))
        .port(task.sourceServer().port())
        .start();
  }

  /** The next start continues as any other. */
  private static void assertFollowed(DdlTask task) throws Exception {
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource("UPDATE item SET name = 'again' WHERE id = 2", "DELETE FROM item WHERE id = 3");
      task.assertRowsEqual(running);
    }
  }

  private static DdlTask followed(DdlTask task, EmbeddedPostgres server) {
    return new DdlTask(task.name(), task.file(), server, task.targetServer());
  }

  private static void moveTo(DdlTask task, int before) throws Exception {
    edit(task, "127.0.0.1:" + before, "127.0.0.1:" + task.sourceServer().port());
  }

  private static void edit(DdlTask task, String part, String replacement) throws Exception {
    Files.writeString(task.file(), Files.readString(task.file()).replace(part, replacement));
  }

  private static void awaitReplayed(DdlTask primary, DdlTask standby) throws Exception {
    String end = primary.source("SELECT pg_current_wal_lsn()::text");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                standby
                    .source("SELECT (pg_last_wal_replay_lsn() >= '%s')::text".formatted(end))
                    .equals("true"));
  }

  /** The standby gets no changes any more. */
  private static void cutOff(EmbeddedPostgres standby) throws Exception {
    onServer(standby, "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()");
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              try (Connection connection = standby.connect();
                  Statement statement = connection.createStatement();
                  var row = statement.executeQuery("SELECT FROM pg_stat_wal_receiver")) {
                return !row.next();
              }
            });
  }

  private static void onServer(EmbeddedPostgres server, String... statements) throws Exception {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
