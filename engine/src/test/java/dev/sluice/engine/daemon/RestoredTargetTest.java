package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.ResyncSteps.MISSED;
import static dev.sluice.engine.daemon.ResyncSteps.PATIENCE;
import static dev.sluice.engine.daemon.ResyncSteps.TABLES;
import static dev.sluice.engine.daemon.ResyncSteps.awaitStep;
import static dev.sluice.engine.daemon.ResyncSteps.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A target that is set back to an earlier copy, with its control schema. */
@ExtendWith(SharedBroker.class)
class RestoredTargetTest {
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
  void aTargetThatWasRestoredIsMadeEqualAgain() throws Exception {
    DdlTask task =
        DdlTask.make(folder, "older", source, target, "Sluice: { DurableCommitInterval: 0.2 }");
    task.onSource(TABLES);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    backUpTarget("older");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onSource(MISSED);
      running.awaitApplied();
      // The journal is deleted up to the last window that was durable when another one followed.
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                task.onSource("UPDATE item SET name = 'later' WHERE id = 2");
                return running.daemon().status().journal().startOffset() > 10;
              });
      running.awaitApplied();
    }
    restoreTarget("older");
    task.onSource("UPDATE item SET name = 'after' WHERE id <= 10");
    assertThatThrownBy(() -> RunningDaemon.replicating(task.config()))
        .hasMessageContaining("it begins after")
        .hasMessageContaining("sluice resync");

    request(task, true);
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      try (Traffic traffic = Traffic.on(task, RestoredTargetTest::write)) {
        awaitStep(task, running, "done");
        assertThat(traffic.commits()).isPositive();
      }
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aTargetThatWasRestoredGetsTheRestFromAJournalThatHasIt() throws Exception {
    DdlTask task =
        DdlTask.make(folder, "kept", source, target, "")
            .withErrors(", DataErrorPolicy: SUSPEND_TABLE, TableErrorPolicy: SUSPEND_TABLE");
    task.onSource("CREATE TABLE held (id int PRIMARY KEY)");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onTarget("ALTER TABLE held ADD CHECK (id < 5)");
      task.onSource("INSERT INTO held VALUES (5)");
      // A suspended table keeps the journal.
      await().atMost(PATIENCE).until(() -> running.daemon().status().suspended().size() == 1);
    }
    backUpTarget("kept");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      for (int i = 1; i <= 20; i++) {
        task.onSource("INSERT INTO item VALUES (%d, 'before', 1)".formatted(i));
      }
      assertThat(running.daemon().fence(PATIENCE, true).success()).isTrue();
    }
    try (Traffic traffic = Traffic.on(task, RestoredTargetTest::write)) {
      restoreTarget("kept");
      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        for (int i = 5001; i <= 5040; i++) {
          task.onSource("INSERT INTO item VALUES (%d, 'after', 1)".formatted(i));
        }
        running.awaitPhase("replicating");
        traffic.end();
        assertThat(running.daemon().fence(PATIENCE, true).success()).isTrue();
        assertThat(task.target("SELECT count(*) FROM item WHERE id > 5000")).isEqualTo("40");
        String rows = "SELECT string_agg(item::text, ' ' ORDER BY id) FROM item";
        assertThat(task.target(rows)).isEqualTo(task.source(rows));
      }
    }
  }

  private static void write(Statement statement, Random random) throws SQLException {
    int id = 1 + random.nextInt(3000);
    statement.execute(
        switch (random.nextInt(3)) {
          case 0 -> "DELETE FROM item WHERE id = " + id;
          case 1 -> "INSERT INTO item VALUES (%d, 'again', 1) ON CONFLICT DO NOTHING".formatted(id);
          default -> "UPDATE item SET name = name || 'w' WHERE id % 100 = " + id % 100;
        });
  }

  private static void backUpTarget(String name) throws Exception {
    onTargetServer(
        // Sessions of the daemon may end a moment after it, and a copy would wait for them.
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '%s'"
            .formatted(name),
        "CREATE DATABASE %1$s_backup TEMPLATE %1$s".formatted(name));
  }

  private static void restoreTarget(String name) throws Exception {
    onTargetServer(
        "DROP DATABASE " + name + " WITH (FORCE)",
        "ALTER DATABASE " + name + "_backup RENAME TO " + name);
  }

  private static void onTargetServer(String... statements) throws Exception {
    try (Connection connection = target.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
