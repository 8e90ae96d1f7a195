package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.status.ValidationStatus;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a repair of a running task writes, and what it leaves. */
@ExtendWith(SharedBroker.class)
class RepairTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String ENABLED =
      "ValidationSettings: { EnableValidation: true, PartitionSize: 100 }\n"
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
  void ofATableWithoutAKeyOnlyListedRowsAreRepairedAndEachIsNotedComplete() throws Exception {
    DdlTask task = DdlTask.make(folder, "bare", source, target, ENABLED);
    task.onSource(
        "CREATE TABLE bare (n int, t text)",
        "ALTER TABLE bare REPLICA IDENTITY FULL",
        "INSERT INTO bare SELECT n, 'row' FROM generate_series(1, 9) n, generate_series(1, 5)");
    diverged(
        task,
        "DELETE FROM bare WHERE ctid IN (SELECT ctid FROM bare WHERE n = 1 LIMIT 2)",
        "DELETE FROM bare WHERE n = 2",
        "INSERT INTO bare VALUES (100, 'listed'), (100, 'listed'), (101, repeat('big', 5000))");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 4);
      // Nobody notices what others write on the target before the next pass.
      task.onTarget(
          "DELETE FROM bare WHERE ctid IN (SELECT ctid FROM bare WHERE n = 1 LIMIT 1)",
          "INSERT INTO bare SELECT 2, 'row' FROM generate_series(1, 5)",
          "DELETE FROM bare WHERE n = 3",
          "INSERT INTO bare VALUES (100, 'listed'), (102, 'not listed')");

      Outcome outcome = running.daemon().repair(List.of(), true);

      assertThat(outcome.details()).anyMatch(line -> line.contains("5 rows repaired"));
      assertThat(
              task.target(
                  "SELECT string_agg(n || 'x' || c, ' ' ORDER BY n) FROM (SELECT n, count(*) c FROM"
                      + " bare WHERE n NOT BETWEEN 4 AND 9 GROUP BY n) s"))
          .isEqualTo("1x4 2x5 100x1 102x1");
      assertThat(
              task.target(
                  "SELECT string_agg(resync_action || ' ' || details || ' ' ||"
                      + " coalesce(source_row::json ->> 'n', '-') || ' ' ||"
                      + " coalesce(target_row::json ->> 'n', '-') || ' ' ||"
                      + " length(coalesce(source_row, target_row)::json ->> 't'), '; '"
                      + " ORDER BY coalesce(source_row, target_row))"
                      + " FROM sluice_control.sluice_validation_failures_v2"
                      + " WHERE resync_result = 'REPAIRED'"))
          .isEqualTo(
              "UPSERT {\"copies\":\"2\"} 1 - 3; DELETE {\"copies\":\"2\"} - 100 6;"
                  + " DELETE {\"copies\":\"1\"} - 101 15000");

      // What was not listed is found by the next session, and repaired when it is asked for.
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 4);
      assertThat(running.daemon().repair(List.of(), true).success()).isTrue();
      task.assertRowsEqual(running);
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 2);
    }
  }

  @Test
  void anExtraRowWhoseKeyTheSourcesTypeLacksIsDeleted() throws Exception {
    DdlTask task = DdlTask.make(folder, "wide", source, target, ENABLED);
    task.onSource("INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 500) i");
    diverged(
        task,
        "ALTER TABLE item ALTER id TYPE bigint",
        "INSERT INTO item VALUES (9000000000, 'extra', 1)");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 1);

      assertThat(running.daemon().repair(List.of(), true).success()).isTrue();

      task.assertRowsEqual(running);
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 1);
    }
  }

  @Test
  void theSettingRepairsWhatIsConfirmedAndTriesWhatTheTargetRefusesMuchLater() throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            "policy",
            source,
            target,
            ENABLED.replace("Sluice: {", "Sluice: { ValidationRepair: repair,"));
    task.onSource("INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 500) i");
    diverged(
        task,
        "CREATE SEQUENCE tries",
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " PERFORM nextval('public.tries'); RAISE EXCEPTION 'not at all'; END $$",
        "UPDATE item SET name = 'wrong' WHERE id <= 50",
        "DELETE FROM item WHERE id > 490",
        "INSERT INTO item VALUES (1000, 'extra', 1)",
        "CREATE TRIGGER refuse BEFORE UPDATE ON item FOR EACH ROW WHEN (NEW.id = 7) EXECUTE FUNCTION"
            + " refuse()",
        "ALTER TABLE item ENABLE ALWAYS TRIGGER refuse");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  task.target(
                          "SELECT coalesce(string_agg(\"key\" || ' ' || coalesce(refusal, '-'), '; '"
                              + " ORDER BY \"key\" COLLATE \"C\"), '')"
                              + " FROM sluice_control.sluice_validation_failures_v2"
                              + " WHERE resync_result IS NULL")
                      .matches("\\{\"id\":\"1000\"} -; \\{\"id\":\"7\"} .*not at all.*"));
      assertThat(task.target("SELECT count(*) FROM item WHERE name = 'wrong'")).isEqualTo("1");
      assertThat(task.target("SELECT count(*) FROM item")).isEqualTo("501");

      long tries = Long.parseLong(task.target("SELECT last_value FROM tries"));
      long sessions = validation(running).sessions();
      await().atMost(PATIENCE).until(() -> validation(running).sessions() > sessions + 20);
      assertThat(Long.parseLong(task.target("SELECT last_value FROM tries")))
          .isLessThan(tries + 15);
      assertThat(validation(running).failed()).isEqualTo(2);

      // Who asks for it need not wait.
      task.onTarget("DROP TRIGGER refuse ON item");
      Outcome asked = running.daemon().repair(List.of(), true);
      assertThat(asked.success()).as(asked.toString()).isTrue();
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aRowOfWhichTheTargetRejectedAChangeSaysSoAndItsRepairKeepsTheEntry() throws Exception {
    DdlTask task =
        DdlTask.make(folder, "rejected", source, target, ENABLED)
            .withErrors(", DataErrorPolicy: LOG_ERROR");
    task.onSource("INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 9) i");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      task.onTarget(
          "ALTER TABLE item ADD CONSTRAINT cheap CHECK (price < 100)",
          "UPDATE item SET name = 'wrong' WHERE id = 3");
      task.onSource(
          "INSERT INTO item VALUES (10, 'new', 500)",
          "UPDATE item SET price = 500 WHERE id = 1",
          "UPDATE item SET id = 20, price = 500 WHERE id = 2");
      // Neither a fence nor a wait succeeds while entries are listed.
      await().atMost(PATIENCE).until(() -> entries(task).equals("3"));
      // The table may have been read before the row was changed.
      running.daemon().validate(List.of(), Optional.empty());

      await().atMost(PATIENCE).until(() -> validation(running).failed() == 5);

      assertThat(listed(task))
          .isEqualTo(
              "1 RECORD_DIFF UPDATE; 10 MISSING_TARGET INSERT; 2 MISSING_SOURCE UPDATE;"
                  + " 20 MISSING_TARGET UPDATE; 3 RECORD_DIFF -");
      assertThat(validation(running).rejected()).isEqualTo(4);

      // The target rejects them as before.
      Outcome refused = running.daemon().repair(List.of(), true);
      assertThat(refused.details()).anyMatch(line -> line.contains("cheap"));
      assertThat(task.target("SELECT count(*) FROM item WHERE price = 500")).isEqualTo("0");
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 3);
      assertThat(validation(running).rejected()).isEqualTo(3);

      task.onTarget("ALTER TABLE item DROP CONSTRAINT cheap");
      Outcome repaired = running.daemon().repair(List.of(), true);
      assertThat(repaired.details())
          .anyMatch(line -> line.contains("still lists rejected changes of 3 of them"));
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 1);
      assertThat(validation(running).rejected()).isZero();
      String rows = "SELECT string_agg(item::text, ';' ORDER BY id) FROM item";
      assertThat(task.target(rows)).isEqualTo(task.source(rows));
      assertThat(entries(task)).isEqualTo("3");
    }
  }

  @Test
  void aRowThatChangesInEveryAttemptIsRepairedWhileWindowsAreHeld() throws Exception {
    DdlTask task = DdlTask.make(folder, "hot", source, target, ENABLED);
    task.onSource(
        "CREATE TABLE hot (id int PRIMARY KEY, n int, big text)",
        "ALTER TABLE hot ALTER big SET STORAGE EXTERNAL",
        "INSERT INTO hot SELECT i, 0, repeat('right', 5000) FROM generate_series(1, 9) i");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      // Its changes do not bring the large value, which they leave as it is.
      task.onTarget("UPDATE hot SET big = 'wrong' WHERE id = 5");
      running.daemon().validate(List.of(), Optional.empty());
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 1);
      AtomicBoolean ended = new AtomicBoolean();
      CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write("hot", ended));
      try {
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  assertThat(writer).isNotDone();
                  List<String> answer = running.daemon().repair(List.of(), false).details();
                  assertThat(answer)
                      .allMatch(
                          line ->
                              !line.contains("while windows were held")
                                  || line.contains("{\"id\":\"5\"}"));
                  return answer.stream().anyMatch(line -> line.contains("1 row repaired"));
                });
        assertThat(writer).isNotDone();
      } finally {
        ended.set(true);
        writer.join();
      }
      task.assertRowsEqual(running);
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 2);
    }
  }

  /** Changes the row in transactions of its own, many in the time of an attempt. */
  private static void write(String database, AtomicBoolean ended) {
    try (Connection connection = source.connect(database);
        Statement statement = connection.createStatement()) {
      while (!ended.get()) {
        statement.execute("UPDATE hot SET n = n + 1 WHERE id = 5");
        Thread.sleep(10);
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String entries(DdlTask task) throws Exception {
    return task.target("SELECT count(*) FROM sluice_control.sluice_apply_exceptions");
  }

  /** Which rows are listed, how they differ, and which of their changes was rejected. */
  private static String listed(DdlTask task) throws Exception {
    return task.target(
        "SELECT string_agg(concat_ws(' ', \"key\"::json ->> 'id', failure_type,"
            + " coalesce(substring(rejection FROM 'its ([A-Z]+) at .*cheap'), '-')), '; '"
            + " ORDER BY \"key\" COLLATE \"C\")"
            + " FROM sluice_control.sluice_validation_failures_v2 WHERE resync_result IS NULL");
  }

  @Test
  void withoutEnableValidationARepairWaitsUntilASessionMayBegin() throws Exception {
    DdlTask task = DdlTask.make(folder, "early", source, target, "");
    task.onSource("INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 9) i");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      task.onTarget("UPDATE item SET name = 'wrong' WHERE id = 5");
      assertThat(running.daemon().validate(List.of(), Optional.empty()).success()).isFalse();
      CompletableFuture<Outcome> repaired;
      try (Connection open = source.connect("early");
          Statement statement = open.createStatement()) {
        // It began before changes were recorded.
        statement.execute("BEGIN; INSERT INTO item VALUES (100, 'open', 1)");
        repaired = CompletableFuture.supplyAsync(() -> repair(running));
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  assertThat(repaired).isNotCompleted();
                  ValidationStatus validation = running.daemon().status().validation();
                  return validation != null
                      && validation.waiting() != null
                      && validation.waiting().contains("still running on the source");
                });
        statement.execute("COMMIT");
      }
      assertThat(repaired.join().success()).as(repaired.join().toString()).isTrue();
      task.assertRowsEqual(running);
    }
  }

  private static Outcome repair(RunningDaemon running) {
    try {
      return running.daemon().repair(List.of(), false);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Loads the tables, and changes rows of the target before the next start reads them. */
  private static void diverged(DdlTask task, String... onTarget) throws Exception {
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    task.onTarget("DELETE FROM sluice_control.validation_journal");
    task.onTarget(onTarget);
  }

  private static ValidationStatus validation(RunningDaemon running) {
    ValidationStatus validation = running.daemon().status().validation();
    assertThat(validation).isNotNull();
    return validation;
  }
}
