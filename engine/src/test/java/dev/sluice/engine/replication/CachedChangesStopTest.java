package dev.sluice.engine.replication;

import static dev.sluice.engine.Sql.execute;
import static dev.sluice.engine.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.daemon.RunningDaemon;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The stops of StopTaskCachedChanges, with changes that were made while tables were loaded. */
@ExtendWith(SharedBroker.class)
class CachedChangesStopTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String NOTES = "SELECT string_agg(note, ',' ORDER BY id) FROM noted";

  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void stoppedBeforeTheCachedChangesTheTargetIsAtTheSnapshotAndTheNextStartAppliesThem()
      throws Exception {
    TaskConfig config = task("held", "StopTaskCachedChangesNotApplied");
    changeDuringTheLoad("held", config);
    assertThat(text(SERVERS.target(), "held", NOTES)).isEqualTo("first,second,third");
    execute(SERVERS.source(), "held", "INSERT INTO noted VALUES (5, 'after the stop')");

    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("replicating");
      assertThat(again.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(text(SERVERS.target(), "held", NOTES))
          .isEqualTo("first,changed,fourth,after the stop");
    }
    try (RunningDaemon thirdStart = RunningDaemon.start(config)) {
      thirdStart.awaitPhase("replicating");
    }
  }

  @Test
  void aStopBeforeTheCachedChangesThatAKillPreventedIsMadeByTheNextStart() throws Exception {
    TaskConfig config = task("forestalled", "StopTaskCachedChangesNotApplied");
    changeDuringTheLoad("forestalled", config);
    forgetTheStop("forestalled");

    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitEnd();
    }
    assertThat(text(SERVERS.target(), "forestalled", NOTES)).isEqualTo("first,second,third");
  }

  @Test
  void stoppedAfterTheCachedChangesTheTargetHasThemAndTheNextStartReplicates() throws Exception {
    TaskConfig config = task("applied", "StopTaskCachedChangesApplied");
    changeDuringTheLoad("applied", config);
    assertThat(text(SERVERS.target(), "applied", NOTES)).isEqualTo("first,changed,fourth");
    execute(SERVERS.source(), "applied", "INSERT INTO noted VALUES (5, 'after the stop')");

    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitPhase("replicating");
      execute(SERVERS.source(), "applied", "DELETE FROM noted WHERE id = 1");
      assertThat(again.daemon().fence(PATIENCE).success()).isTrue();
      assertThat(text(SERVERS.target(), "applied", NOTES))
          .isEqualTo("changed,fourth,after the stop");
    }
  }

  @Test
  void aStopAfterTheCachedChangesThatAKillPreventedIsMadeByTheNextStart() throws Exception {
    TaskConfig config = task("repeated", "StopTaskCachedChangesApplied");
    changeDuringTheLoad("repeated", config);
    forgetTheStop("repeated");
    execute(SERVERS.source(), "repeated", "INSERT INTO noted VALUES (5, 'after the kill')");

    try (RunningDaemon again = RunningDaemon.start(config)) {
      again.awaitEnd();
    }
    assertThat(text(SERVERS.target(), "repeated", NOTES))
        .isEqualTo("first,changed,fourth,after the kill");
  }

  @Test
  void aReplicatingTaskIsNotStoppedByASettingOfItsLoad() throws Exception {
    TaskConfig config = task("late", "CreatePkAfterFullLoad");
    try (RunningDaemon running = RunningDaemon.start(config)) {
      running.awaitPhase("replicating");
    }
    Path file = folder.resolve("late").resolve("task.yaml");
    String text = Files.readString(file);
    for (String setting :
        new String[] {"StopTaskCachedChangesApplied", "StopTaskCachedChangesNotApplied"}) {
      Files.writeString(file, text.replace("CreatePkAfterFullLoad", setting));
      try (RunningDaemon again = RunningDaemon.start(TaskFile.read(file))) {
        again.awaitPhase("replicating");
      }
    }
  }

  /** The target's table is locked so that the load waits while the source is changed. */
  private void changeDuringTheLoad(String database, TaskConfig config) throws Exception {
    try (Connection locker = SERVERS.target().connect(database)) {
      locker.setAutoCommit(false);
      execute(locker, "LOCK TABLE noted IN SHARE MODE");
      try (RunningDaemon running = RunningDaemon.start(config)) {
        running.awaitPhase("full-load");
        execute(
            SERVERS.source(),
            database,
            "INSERT INTO noted VALUES (4, 'fourth'); UPDATE noted SET note = 'changed' WHERE id ="
                + " 2; DELETE FROM noted WHERE id = 3");
        await().atMost(PATIENCE).until(() -> running.daemon().status().source().changes() == 3);
        locker.rollback();
        running.awaitEnd();
        assertThat(running.daemon().status().phase()).isEqualTo("stopped");
      }
    }
  }

  private static void forgetTheStop(String database) throws Exception {
    execute(
        SERVERS.target(),
        database,
        "DELETE FROM sluice_control.task_step WHERE step = 'cached-changes'");
  }

  private TaskConfig task(String name, String stop) throws Exception {
    SERVERS.source().createDatabase(name);
    SERVERS.target().createDatabase(name);
    String table = "CREATE TABLE noted (id int PRIMARY KEY, note text)";
    execute(SERVERS.source(), name, table);
    execute(
        SERVERS.source(),
        name,
        "INSERT INTO noted VALUES (1, 'first'), (2, 'second'), (3, 'third')");
    execute(SERVERS.target(), name, table);
    return TaskFolder.of(
            folder.resolve(name), name, SERVERS.source(), SERVERS.target(), name, "public")
        .settings(
            "{FullLoadSettings: {TargetTablePrepMode: DO_NOTHING, %s: true},".formatted(stop)
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
        .config();
  }
}
