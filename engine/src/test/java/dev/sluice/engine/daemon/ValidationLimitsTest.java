package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.status.ValidationStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** At so many differences a table, or every table, is compared no more; changes go on. */
@ExtendWith(SharedBroker.class)
class ValidationLimitsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String SETTINGS =
      "ValidationSettings: { EnableValidation: true, PartitionSize: 100, %s }\n"
          + "  Sluice: { ValidationDutyCycle: 100 }";

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
  void atTableFailureMaxCountOnlyThatTableIsComparedNoMore() throws Exception {
    DdlTask task = task("table", "TableFailureMaxCount: 10");
    diverge(task, 20);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).tables().size() == 2);
      await().atMost(PATIENCE).until(() -> of(running, "item").state().equals("Table error"));
      await().atMost(PATIENCE).until(() -> of(running, "word").proven());

      assertThat(of(running, "item").proven()).isFalse();
      assertThat(of(running, "item").problem()).contains("TableFailureMaxCount is 10");
      task.onSource("UPDATE item SET name = 'new' WHERE id = 300", "UPDATE word SET n = -1");
      running.awaitApplied();
      assertThat(task.target("SELECT name FROM item WHERE id = 300")).isEqualTo("new");
      await().atMost(PATIENCE).until(() -> of(running, "word").proven());
      assertThat(of(running, "item").state()).isEqualTo("Table error");
    }
    task.onTarget("UPDATE item SET name = 'name ' || id WHERE name = 'wrong'");
    // Until the next start.
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 2);
    }
  }

  @Test
  void atFailureMaxCountNothingIsComparedAnyMore() throws Exception {
    DdlTask task = task("all", "FailureMaxCount: 15");
    diverge(task, 20);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  validation(running).waiting() != null
                      && validation(running).waiting().contains("FailureMaxCount is 15"));
      long sessions = validation(running).sessions();

      task.onSource("UPDATE word SET n = -1");
      running.awaitApplied();
      assertThat(task.target("SELECT count(*) FROM word WHERE n = -1")).isEqualTo("500");
      // Further differences would be listed with the next session.
      task.onTarget("UPDATE word SET n = -2");
      task.onSource("UPDATE item SET name = 'new' WHERE id = 300");
      running.awaitApplied();
      assertThat(validation(running).sessions()).isEqualTo(sessions);
      assertThat(validation(running).waiting()).contains("FailureMaxCount is 15");
      // What was changed since is not proven, though it was equal before.
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 0);

      // A repair makes room for sessions again.
      task.onTarget("UPDATE word SET n = -1");
      assertThat(running.daemon().repair(List.of(), false).success()).isTrue();
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 2);
    }
  }

  private DdlTask task(String name, String limit) throws Exception {
    DdlTask task = DdlTask.make(folder, name, source, target, SETTINGS.formatted(limit));
    task.onSource(
        "INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 500) i",
        "CREATE TABLE word (id int PRIMARY KEY, n int)",
        "INSERT INTO word SELECT i, i FROM generate_series(1, 500) i");
    return task;
  }

  /** Loads the tables, and changes rows of one before the next start reads them. */
  private static void diverge(DdlTask task, int rows) throws Exception {
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    task.onTarget(
        "DELETE FROM sluice_control.validation_journal",
        "UPDATE item SET name = 'wrong' WHERE id <= " + rows);
  }

  private static ValidationStatus.Table of(RunningDaemon running, String table) {
    return validation(running).tables().stream()
        .filter(each -> each.table().equals(table))
        .findFirst()
        .orElseThrow();
  }

  private static ValidationStatus validation(RunningDaemon running) {
    ValidationStatus validation = running.daemon().status().validation();
    assertThat(validation).isNotNull();
    return validation;
  }
}
