package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.status.RecordFile;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.status.ValidationStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The validation of a running task, on real servers. */
@ExtendWith(SharedBroker.class)
class ContinuousValidationTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final String ENABLED =
      "ValidationSettings: { EnableValidation: true, PartitionSize: 100 }\n"
          + "  Sluice: { ValidationDutyCycle: 100 }";

  private static final String[] TABLES = {
    "INSERT INTO item SELECT i, 'name ' || i, i / 7.0 FROM generate_series(1, 2000) i",
    "CREATE TABLE word (word text PRIMARY KEY, n int)",
    "INSERT INTO word SELECT md5(i::text), i FROM generate_series(1, 1000) i",
    "CREATE TABLE part (id int PRIMARY KEY, big text) PARTITION BY RANGE (id)",
    "CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (500)",
    "CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (500) TO (10000)",
    "INSERT INTO part SELECT i, repeat(md5(i::text), 100) FROM generate_series(1, 1000) i"
  };

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
  void tablesThatAreWrittenAllTheTimeAreProvenEqualWithoutOneFalseDifference() throws Exception {
    DdlTask task = DdlTask.make(folder, "moving", source, target, ENABLED);
    task.onSource(TABLES);
    AtomicBoolean ended = new AtomicBoolean();
    AtomicReference<Exception> failure = new AtomicReference<>();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      Thread writer = new Thread(() -> write("moving", ended, failure), "writer");
      writer.start();
      try {
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  ValidationStatus validation = validation(running);
                  assertThat(validation.failed() + validation.pending()).isZero();
                  return validation.sessions() > 20
                      && validation.tables().size() == 3
                      && validation.tables().stream().allMatch(table -> table.read() != null);
                });
      } finally {
        ended.set(true);
        writer.join();
      }
      assertThat(failure.get()).isNull();
      running.awaitApplied();
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      task.assertRowsEqual(running);
      assertThat(task.target("SELECT count(*) FROM sluice_control.sluice_validation_failures_v2"))
          .isEqualTo("0");
    }
  }

  @Test
  void aRowThatIsWrittenAllTheTimeIsProvenAlsoWhereAWindowLastsLong() throws Exception {
    DdlTask task =
        DdlTask.make(folder, "windows", source, target, "Sluice: { ValidationLagLimit: 60 }")
            .replacing(
                "BatchApplyTimeoutMin: 0.1", "BatchApplyTimeoutMin: 20, BatchApplyTimeoutMax: 40");
    task.onSource(
        "CREATE TABLE counter (id int PRIMARY KEY, n int)",
        "INSERT INTO counter SELECT i, 0 FROM generate_series(1, 50) i");
    AtomicBoolean ended = new AtomicBoolean();
    AtomicReference<Exception> failure = new AtomicReference<>();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      Thread writer = new Thread(() -> updateCounters(ended, failure), "writer");
      writer.start();
      try {
        Outcome outcome = running.daemon().validate(List.of(), Optional.empty());
        assertThat(outcome.ending()).as(outcome.toString()).isEqualTo(Ending.DONE);
      } finally {
        ended.set(true);
        writer.join();
      }
      assertThat(failure.get()).isNull();
    }
  }

  private static void updateCounters(AtomicBoolean ended, AtomicReference<Exception> failure) {
    try (Connection connection = source.connect("windows");
        Statement statement = connection.createStatement()) {
      for (int i = 0; !ended.get(); i++) {
        statement.execute("UPDATE counter SET n = n + 1 WHERE id = " + (1 + i % 50));
        Thread.sleep(2);
      }
    } catch (SQLException | InterruptedException e) {
      failure.set(e);
    }
  }

  @Test
  void faultsOnTheTargetAreFoundListedAndTakenOffTheListWhenTheyAreGone() throws Exception {
    DdlTask task = DdlTask.make(folder, "faults", source, target, ENABLED);
    task.onSource(TABLES);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onTarget(
          "UPDATE item SET price = 99 WHERE id = 5",
          "DELETE FROM word WHERE n = 7",
          "INSERT INTO part VALUES (9999, 'extra')");
      // The tables may have been read before.
      running.daemon().validate(List.of(), Optional.empty());

      await().atMost(PATIENCE).until(() -> validation(running).failed() == 3);

      assertThat(
              task.target(
                  "SELECT string_agg(table_name || ' ' || failure_type || ' ' || details, '; '"
                      + " ORDER BY table_name) FROM sluice_control.sluice_validation_failures_v2"))
          .isEqualTo(
              "item RECORD_DIFF {\"price\":{\"source\":\"0.71\",\"target\":\"99.00\"}};"
                  + " part MISSING_SOURCE {}; word MISSING_TARGET {}");
      assertThat(validation(running).tables())
          .extracting(ValidationStatus.Table::state)
          .containsOnly("Mismatched records");

      task.onTarget(
          "UPDATE item SET price = 0.71 WHERE id = 5", "DELETE FROM part WHERE id = 9999");
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 1);
      assertThat(validation(running).provenTables()).isEqualTo(2);
    }
  }

  @Test
  void differingRowsAreRepairedWithARecordOfBothImagesAndThenProven() throws Exception {
    DdlTask task = DdlTask.make(folder, "repair", source, target, ENABLED);
    task.onSource(TABLES);
    task.onSource(
        "CREATE TABLE pair (id int PRIMARY KEY, slot int UNIQUE, note text)",
        "INSERT INTO pair VALUES (1, 10, 'a'), (2, 20, 'b')",
        "CREATE TABLE bare (n int, t text)",
        "ALTER TABLE bare REPLICA IDENTITY FULL",
        "INSERT INTO bare VALUES (1, 'x'), (1, 'x'), (2, NULL)",
        "INSERT INTO bare SELECT 3, 'many' FROM generate_series(1, 20)");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      task.onTarget(
          "UPDATE item SET price = NULL WHERE id = 5",
          "DELETE FROM word WHERE n BETWEEN 100 AND 110",
          "INSERT INTO part VALUES (9999, 'extra')",
          // Values of a unique column, exchanged between two rows.
          "UPDATE pair SET slot = -1 WHERE id = 1",
          "UPDATE pair SET slot = 10 WHERE id = 2",
          "UPDATE pair SET slot = 20 WHERE id = 1",
          "DELETE FROM bare WHERE n >= 2");
      running.daemon().validate(List.of(), Optional.empty());
      // Equal rows without a key are listed once.
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 17);

      Outcome without = running.daemon().repair(List.of(), false);

      assertThat(without.success()).isFalse();
      assertThat(without.details())
          .contains(
              "public.part: 0 rows repaired, 1 left: only the target has them; --delete-extra"
                  + " deletes them")
          .contains("public.word: 11 rows repaired")
          .contains("public.bare: 21 rows repaired");
      assertThat(task.target("SELECT count(*) FROM part WHERE id = 9999")).isEqualTo("1");

      Outcome with = running.daemon().repair(List.of(new TableId("public", "part")), true);

      assertThat(with.success()).as(with.toString()).isTrue();
      task.assertRowsEqual(running);
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 5);
      assertThat(
              task.target(
                  "SELECT string_agg(table_name || ' ' || resync_action || ' ' || target_row, '; '"
                      + " ORDER BY table_name, id) FROM sluice_control.sluice_validation_failures_v2"
                      + " WHERE resync_result = 'REPAIRED' AND table_name IN ('pair', 'part')"))
          .isEqualTo(
              "pair UPSERT {\"id\":\"1\",\"slot\":\"20\",\"note\":\"a\"};"
                  + " pair UPSERT {\"id\":\"2\",\"slot\":\"10\",\"note\":\"b\"};"
                  + " part DELETE {\"id\":\"9999\",\"big\":\"extra\"}");
    }
  }

  @Test
  void largeValuesAreRepairedAsTheyAreAndShownByTheirDigest() throws Exception {
    DdlTask task = DdlTask.make(folder, "large", source, target, ENABLED);
    task.onSource(
        "CREATE TABLE doc (id int PRIMARY KEY, body text, bytes bytea, n int)",
        "INSERT INTO doc SELECT i, repeat(md5(i::text), 4000), decode(repeat(md5(i::text), 2000),"
            + " 'hex'), i FROM generate_series(1, 20) i",
        "CREATE TABLE bare (body text)",
        "ALTER TABLE bare REPLICA IDENTITY FULL",
        "INSERT INTO bare SELECT repeat('x', 100000)");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    readAgain(task);
    task.onTarget(
        "UPDATE doc SET body = 'lost', n = -1 WHERE id = 1",
        "UPDATE doc SET bytes = NULL, body = repeat('old', 5000) WHERE id = 2",
        "DELETE FROM doc WHERE id = 3",
        "UPDATE bare SET body = body || 'y'");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 5);
      assertThat(
              task.target(
                  "SELECT details FROM sluice_control.sluice_validation_failures_v2"
                      + " WHERE key = '{\"id\":\"1\"}'"))
          .contains("\"source\":\"length 128000, sha256 ");

      Outcome repaired = running.daemon().repair(List.of(), true);

      assertThat(repaired.success()).as(repaired.toString()).isTrue();
      task.assertRowsEqual(running);
      // What was overwritten is kept complete.
      assertThat(
              task.target(
                  "SELECT target_row::json ->> 'body' FROM"
                      + " sluice_control.sluice_validation_failures_v2"
                      + " WHERE key = '{\"id\":\"2\"}' AND resync_result = 'REPAIRED'"))
          .isEqualTo("old".repeat(5000));
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
    }
  }

  @Test
  void repairBesideAWriterNeverOverwritesWhatIsNewer() throws Exception {
    DdlTask task = DdlTask.make(folder, "moving2", source, target, ENABLED);
    task.onSource(TABLES);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
    }
    readAgain(task);
    task.onTarget(
        "UPDATE item SET name = 'wrong' WHERE id % 10 = 3",
        "UPDATE part SET big = 'wrong' WHERE id > 990",
        "INSERT INTO word SELECT 'extra ' || i, i FROM generate_series(1, 9) i");
    AtomicBoolean ended = new AtomicBoolean();
    AtomicReference<Exception> failure = new AtomicReference<>();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      Thread writer = new Thread(() -> write("moving2", ended, failure), "writer");
      writer.start();
      try {
        await().atMost(PATIENCE).until(() -> validation(running).failed() > 20);
        for (int attempt = 0; attempt < 5; attempt++) {
          running.daemon().repair(List.of(), attempt % 2 == 1);
        }
      } finally {
        ended.set(true);
        writer.join();
      }
      assertThat(failure.get()).isNull();
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                running.daemon().repair(List.of(), true);
                return validation(running).provenTables() == 3;
              });
      task.assertRowsEqual(running);
    }
  }

  @Test
  void aTableWhoseRowsWereLoadedAgainIsReadAgain() throws Exception {
    DdlTask task = DdlTask.make(folder, "reloaded", source, target, ENABLED);
    task.onSource(TABLES);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      String readAt =
          "SELECT read_position FROM sluice_control.validation_table WHERE source_table = 'word'";
      String before = task.target(readAt);

      assertThat(running.daemon().reload(List.of(new TableId("public", "word"))).success())
          .isTrue();

      await().atMost(PATIENCE).until(() -> !task.target(readAt).equals(before));
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
    }
  }

  @Test
  void rowsThatDifferInOneLaneDoNotKeepTheOthersFromBeingCompared() throws Exception {
    DdlTask task =
        DdlTask.make(
            folder,
            "lanes",
            source,
            target,
            ENABLED + "\n  TargetMetadata: { ParallelApplyThreads: 3 }");
    Files.writeString(
        task.file(),
        Files.readString(task.file())
            .replace(
                "BatchApplyTimeoutMin: 0.1",
                "BatchApplyTimeoutMin: 0.1, BatchApplyPreserveTransaction: false"));
    task.onSource(TABLES);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
      // What is applied to the target differs from now on.
      for (String column : List.of("item.name", "part.big", "word.n")) {
        String table = column.replaceFirst("\\..*", "");
        String name = column.replaceFirst(".*\\.", "");
        task.onTarget(
            "CREATE FUNCTION spoil_%s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.%s := 9;"
                    .formatted(table, name)
                + " RETURN NEW; END $$",
            "CREATE TRIGGER spoil BEFORE UPDATE ON %1$s FOR EACH ROW EXECUTE FUNCTION spoil_%1$s()"
                .formatted(table),
            "ALTER TABLE %s ENABLE ALWAYS TRIGGER spoil".formatted(table));
      }
      task.onSource("UPDATE item SET price = 1 WHERE id = 5");
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 1);
      task.onSource("UPDATE part SET big = 'other' WHERE id = 5");
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 2);
      task.onSource("UPDATE word SET n = 5000 WHERE n = 5");
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 3);
    }
  }

  @Test
  void aDivergedTableOfARunningTaskIsMadeEqualAndTheOthersStayAsTheyAre() throws Exception {
    DdlTask task = DdlTask.make(folder, "diverged", source, target, "");
    task.onSource(TABLES);
    task.onSource(
        "CREATE TABLE wide (id int PRIMARY KEY, v text)",
        "INSERT INTO wide SELECT i, 'v' FROM generate_series(1, 9000) i");
    TableId wide = new TableId("public", "wide");
    AtomicBoolean ended = new AtomicBoolean();
    AtomicReference<Exception> failure = new AtomicReference<>();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      // More rows than TableFailureMaxCount and FailureMaxCount.
      task.onTarget(
          "UPDATE wide SET v = 'wrong' WHERE id <= 4000",
          "DELETE FROM wide WHERE id BETWEEN 4001 AND 5000",
          "INSERT INTO wide SELECT i, 'extra' FROM generate_series(10001, 10005) i",
          "INSERT INTO word VALUES ('extra', 1)");
      reject(task, "wide");
      reject(task, "word");
      Thread writer = new Thread(() -> write("diverged", ended, failure), "writer");
      writer.start();
      try {
        Outcome left = running.daemon().resync(List.of(wide), false);
        assertThat(left.ending()).as(left.toString()).isEqualTo(Ending.FAILED);
        assertThat(left.message()).isEqualTo("5,000 rows repaired");
        assertThat(left.details()).anyMatch(line -> line.contains("0 missing, 5 extra"));
        assertThat(task.target("SELECT count(*) FROM wide WHERE id <= 9000 AND v = 'v'"))
            .isEqualTo("9000");
        assertThat(rejected(task)).as("a table that is not equal").isEqualTo("wide, word");

        Outcome done = running.daemon().resync(List.of(wide), true);
        assertThat(done.success()).as(done.toString()).isTrue();
        assertThat(done.message()).isEqualTo("5 rows repaired");
        assertThat(done.details()).hasSize(2).last().asString().startsWith("equal: 1 table, ");
        assertThat(rejected(task)).as("wide is equal: it lacks no change").isEqualTo("word");
      } finally {
        ended.set(true);
        writer.join();
      }
      assertThat(failure.get()).isNull();
      assertThat(task.target("SELECT count(*) FROM word WHERE word = 'extra'")).isEqualTo("1");
      assertThat(task.target("SELECT count(*) FROM wide WHERE v <> 'v'")).isEqualTo("0");
      assertThat(running.daemon().validate(List.of(wide), Optional.empty()).success()).isTrue();
      assertThat(running.daemon().validate(List.of(), Optional.empty()).ending())
          .isEqualTo(Ending.FAILED);
      Outcome unknown = running.daemon().resync(List.of(new TableId("public", "wode")), true);
      assertThat(unknown.success()).isFalse();
      assertThat(unknown.details()).anyMatch(line -> line.contains("is not replicated"));
    }
  }

  private static void reject(DdlTask task, String table) throws Exception {
    task.onTarget(
        """
        INSERT INTO sluice_control.sluice_apply_exceptions (task_name, table_owner, table_name,
          statement, error, sqlstate, kind, action, operation, journal_term, journal_transaction,
          change_number, commit_time, source_schema, source_table, position)
        VALUES ('%s', '', '', '', '', '', 'INSERT_CONFLICT', 'LOG_ERROR', 'INSERT', 1, 1, 1, now(),
          'public', '%s', '0/1')
        """
            .formatted(task.name(), table));
  }

  private static String rejected(DdlTask task) throws Exception {
    return task.target(
        "SELECT string_agg(source_table, ', ' ORDER BY 1) FROM"
            + " sluice_control.sluice_apply_exceptions WHERE task_name = '%s'"
                .formatted(task.name()));
  }

  @Test
  void aTaskThatDoesNotValidateComparesAllTablesOnRequestBesideAWriter() throws Exception {
    DdlTask task = DdlTask.make(folder, "request", source, target, "");
    task.onSource(TABLES);
    AtomicBoolean ended = new AtomicBoolean();
    AtomicReference<Exception> failure = new AtomicReference<>();
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      Thread writer = new Thread(() -> write("request", ended, failure), "writer");
      writer.start();
      try {
        assertThat(running.daemon().status().validation()).isNull();
        Outcome equal = running.daemon().validate(List.of(), Optional.empty());
        assertThat(equal.success()).as(equal.toString()).isTrue();
        assertThat(equal.details())
            .hasSize(4)
            .last(InstanceOfAssertFactories.STRING)
            .startsWith("equal: 3 tables, ");

        task.onTarget(
            "INSERT INTO item VALUES (5000, 'extra', 1)", "INSERT INTO word VALUES ('extra', 1)");
        Outcome differs = running.daemon().validate(List.of(), Optional.empty());
        assertThat(differs.ending()).as(differs.toString()).isEqualTo(Ending.FAILED);
        assertThat(differs.details())
            .anyMatch(line -> line.contains("1 extra: [{\"id\":\"5000\"}]"))
            .anyMatch(line -> line.contains("1 extra: [{\"word\":\"extra\"}]"));

        assertThat(running.daemon().repair(List.of(), true).success()).isTrue();
        assertThat(running.daemon().validate(List.of(), Optional.empty()).success()).isTrue();
        assertThat(running.daemon().status().validation()).isNull();
      } finally {
        ended.set(true);
        writer.join();
      }
      assertThat(failure.get()).isNull();
      task.assertRowsEqual(running);
    }
  }

  @Test
  void whatWasReadIsRememberedAndReadAgainAfterARestart() throws Exception {
    DdlTask task = DdlTask.make(folder, "restart", source, target, ENABLED);
    task.onSource(TABLES);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).provenTables() == 3);
    }
    readAgain(task);
    task.onTarget("UPDATE item SET price = 99 WHERE id = 5");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).failed() == 1);
    }
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      await().atMost(PATIENCE).until(() -> validation(running).tables().size() == 3);
      assertThat(validation(running).failed()).isEqualTo(1);
    }
  }

  @Test
  void aCommitThatWaitsForAStandbyIsNoDifference() throws Exception {
    try (EmbeddedPostgres waiting =
        EmbeddedPostgres.builder()
            // No standby has this name, so that such a commit waits until it is freed.
            .setting("synchronous_standby_names", "nobody")
            .setting("synchronous_commit", "local")
            .start()) {
      DdlTask task = DdlTask.make(folder, "standby", waiting, target, "");
      task.onSource(TABLES);
      try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
        running.awaitApplied();
        CompletableFuture<Void> commit =
            CompletableFuture.runAsync(() -> changeAndWaitForStandby(waiting));
        await()
            .atMost(PATIENCE)
            .until(() -> task.target("SELECT name FROM item WHERE id = 5").equals("waits"));
        CompletableFuture<Outcome> compared = CompletableFuture.supplyAsync(() -> pass(running));
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  assertThat(compared).isNotCompleted();
                  ValidationStatus validation = running.daemon().status().validation();
                  return validation != null
                      && validation.waiting() != null
                      && validation.waiting().contains("still running on the source");
                });
        task.onSource(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        commit.join();

        assertThat(compared.join().success()).as(compared.toString()).isTrue();
        assertThat(task.target("SELECT count(*) FROM sluice_control.sluice_validation_failures_v2"))
            .isEqualTo("0");
      }
    }
  }

  @Test
  void theRecordOfAPassIsCheckedAgainWithPlainStatementsWhileBothSidesStandStill()
      throws Exception {
    DdlTask task =
        DdlTask.make(
            folder, "record", source, target, "ValidationSettings: { PartitionSize: 1000 }");
    task.onSource(TABLES);
    task.onSource(
        "CREATE TABLE quiet (id int, t text PRIMARY KEY)",
        "INSERT INTO quiet SELECT i, E'it''s\\n' || i FROM generate_series(1, 5000) i");
    AtomicBoolean ended = new AtomicBoolean();
    AtomicReference<Exception> failure = new AtomicReference<>();
    UUID id = UUID.randomUUID();
    List<String> record;
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      Thread writer = new Thread(() -> write("record", ended, failure), "writer");
      writer.start();
      try {
        running.awaitApplied();
        Outcome compared = running.daemon().validate(List.of(), Optional.of(id));
        assertThat(compared.success()).as(compared.toString()).isTrue();
      } finally {
        ended.set(true);
        writer.join();
      }
      assertThat(failure.get()).isNull();
      running.awaitApplied();
      record = Files.readAllLines(RecordFile.of(task.config().dataDir(), id));
    }
    assertThat(record)
        .anyMatch(line -> line.startsWith("# result: equal: 4 tables, "))
        .anyMatch(
            line ->
                line.matches(
                    "# source: 127.0.0.1:\\d+, database record, PostgreSQL .*, system identifier \\d{10,}"))
        .contains("# selection: include %.%", "# table public.quiet, on the target public.quiet")
        .anyMatch(line -> line.matches("# part \\d+: keys from the first up to \\[.*\\]"))
        .anyMatch(line -> line.matches("# part \\d+: keys after \\[.*\\] to the last"));
    byte[] checked =
        (String.join("\n", record.subList(0, record.size() - 1)) + "\n")
            .getBytes(StandardCharsets.UTF_8);
    assertThat(record.get(record.size() - 1))
        .isEqualTo(
            "sha256: "
                + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(checked)));
    List<String> quiet =
        IntStream.range(0, record.size())
            .filter(i -> record.get(i).startsWith("expected: "))
            .filter(i -> record.get(i + 1).contains("\"quiet\""))
            .mapToObj(i -> record.get(i).substring("expected: ".length()))
            .toList();
    assertThat(quiet).hasSizeGreaterThan(1);
    assertThat(again(record, "source", source.connect("record"))).containsAll(quiet);
    assertThat(again(record, "target", target.connect("record"))).containsAll(quiet);

    task.onTarget("UPDATE quiet SET id = -1 WHERE id = 77");
    assertThat(again(record, "target", target.connect("record")).containsAll(quiet)).isFalse();
  }

  /** The results of a side's statements in a record, as psql prints them. */
  private static List<String> again(List<String> record, String side, Connection opened)
      throws SQLException {
    List<String> results = new ArrayList<>();
    try (Connection connection = opened;
        Statement statement = connection.createStatement()) {
      for (String line : record) {
        if (line.startsWith("settings: ")) {
          statement.execute(line.substring("settings: ".length()));
        } else if (line.startsWith(side + ": ")) {
          try (ResultSet row = statement.executeQuery(line.substring(side.length() + 2))) {
            row.next();
            results.add(
                "%s|%s|%s|%s"
                    .formatted(
                        row.getString(1),
                        row.getString(2),
                        Objects.toString(row.getString(3), ""),
                        Objects.toString(row.getString(4), "")));
          }
        }
      }
    }
    return results;
  }

  /** Makes the next start forget that the tables are followed: what it finds was read by it. */
  private static void readAgain(DdlTask task) throws SQLException {
    task.onTarget("DELETE FROM sluice_control.validation_journal");
  }

  private static Outcome pass(RunningDaemon running) {
    try {
      return running.daemon().validate(List.of(), Optional.empty());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void changeAndWaitForStandby(EmbeddedPostgres server) {
    try (Connection connection = server.connect("standby");
        Statement statement = connection.createStatement()) {
      statement.execute("SET synchronous_commit = on");
      statement.execute("UPDATE item SET name = 'waits' WHERE id = 5");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ValidationStatus validation(RunningDaemon running) {
    ValidationStatus validation = running.daemon().status().validation();
    assertThat(validation).isNotNull();
    return validation;
  }

  /** Changes of all kinds, in transactions with subtransactions, some of which are rolled back. */
  private static void write(
      String database, AtomicBoolean ended, AtomicReference<Exception> failure) {
    Random random = new Random(1);
    try (Connection connection = source.connect(database);
        Statement statement = connection.createStatement()) {
      while (!ended.get()) {
        int id = 1 + random.nextInt(2000);
        statement.execute(
            "BEGIN; UPDATE item SET price = price + 1 WHERE id = "
                + id
                + "; SAVEPOINT s; UPDATE word SET n = n + 1 WHERE n % 100 = "
                + random.nextInt(100)
                + "; "
                + (random.nextBoolean() ? "ROLLBACK TO s" : "RELEASE s")
                + "; UPDATE part SET id = 1001 + (id + 137) % 999 WHERE id = "
                + random.nextInt(1000)
                + " AND NOT EXISTS (SELECT FROM part p WHERE p.id = 1001 + (part.id + 137) % 999)"
                + "; UPDATE part SET id = id - 1000 WHERE id > 1000"
                + " AND NOT EXISTS (SELECT FROM part p WHERE p.id = part.id - 1000)"
                + "; DELETE FROM item WHERE id = "
                + (id + 1)
                + "; INSERT INTO item VALUES ("
                + (id + 1)
                + ", 'again', 1) ON CONFLICT DO NOTHING; COMMIT");
        // Sessions need a target that keeps up, on a slow machine too.
        Thread.sleep(5);
      }
    } catch (Exception e) {
      failure.set(e);
    }
  }
}
