package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tables of MariaDB get other names while a task replicates them to PostgreSQL. */
@ExtendWith(SharedBroker.class)
@TestInstance(Lifecycle.PER_CLASS)
class RenamedTablesTaskTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @TempDir Path folder;

  private EmbeddedMariadb source;
  private EmbeddedPostgres target;

  @BeforeAll
  void startServers() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    source = EmbeddedMariadb.builder().start();
    target = EmbeddedPostgres.start();
  }

  @AfterAll
  void stopServers() {
    if (source != null) {
      source.close();
      target.close();
    }
  }

  /** Nothing is written on the source between the fence and the snapshot. */
  @Test
  void aTableIsLoadedAgainBehindAFenceOfTheSamePlace() throws Exception {
    create("fenced", "CREATE TABLE a (id INT PRIMARY KEY)", "INSERT INTO a VALUES (1)");
    try (RunningDaemon running = RunningDaemon.replicating(task("fenced", "").config())) {
      onSource("fenced", "INSERT INTO a VALUES (2)");
      running.awaitApplied();
      reload(running, "fenced", "a");
      running.awaitApplied();
      onSource("fenced", "INSERT INTO a VALUES (3)");
      running.awaitApplied();
      requireEqual("fenced", "a");
    }
  }

  @Test
  void rowsOfTheOldNameAndOfTheNewOneAreInTwoLanesAtOnce() throws Exception {
    create(
        "lanes",
        "CREATE TABLE p (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE c (id INT PRIMARY KEY, v INT, p INT, FOREIGN KEY (p) REFERENCES p (id))",
        "CREATE TABLE d (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE e (id INT PRIMARY KEY, v INT)",
        "INSERT INTO p VALUES (1, 1)",
        "INSERT INTO c VALUES (1, 1, 1)",
        "INSERT INTO d VALUES (1, 1)",
        "INSERT INTO e VALUES (1, 1)");
    TaskFolder task =
        task("lanes", "TargetMetadata: {ParallelApplyThreads: 3}, ")
            .replacing(
                "BatchApplyTimeoutMin: 0.1",
                "BatchApplyTimeoutMin: 0.1, BatchApplyPreserveTransaction: false");
    for (int start = 0; start < 2; start++) {
      try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
        for (int i = 0; i < 3; i++) {
          int id = 10 + 10 * i + 100 * start;
          onSource(
              "lanes",
              "INSERT INTO p VALUES (%1$d, 1), (%1$d + 1, 1)".formatted(id),
              "INSERT INTO c VALUES (%1$d, 1, %1$d)".formatted(id),
              "INSERT INTO d VALUES (%d, 1)".formatted(id),
              "RENAME TABLE p TO p_x, c TO c_x, d TO x, e TO d",
              "UPDATE p_x SET v = v + 1 WHERE id = " + id,
              "INSERT INTO d VALUES (%d, 7)".formatted(id),
              "BEGIN",
              "DELETE FROM x WHERE id = " + id,
              "UPDATE c_x SET v = 3",
              // It commits what is open.
              "RENAME TABLE x TO e, p_x TO p, c_x TO c",
              "UPDATE e SET v = v + 1",
              "DELETE FROM p WHERE id = %d + 1".formatted(id));
        }
        running.awaitApplied();
        assertThat(running.daemon().status().suspended()).isEmpty();
        requireEqual("lanes", "p", "c", "d", "e");
      }
    }
  }

  @Test
  void aTableIsRenamedWhileItIsSuspendedAndWhileItIsLoadedAgain() throws Exception {
    create(
        "waiting",
        "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE a_new (id INT PRIMARY KEY, v INT)",
        "INSERT INTO a VALUES (1, 1)",
        "INSERT INTO a_new VALUES (2, 2)");
    try (RunningDaemon running = RunningDaemon.replicating(task("waiting", "").config())) {
      onSource("waiting", "ALTER TABLE a ADD PRIMARY KEY (id), DROP PRIMARY KEY");
      running.awaitSuspended();
      onSource(
          "waiting",
          "INSERT INTO a VALUES (3, 3)",
          "INSERT INTO a_new VALUES (4, 4)",
          "RENAME TABLE a TO a_old, a_new TO a",
          "INSERT INTO a VALUES (5, 5)",
          "INSERT INTO a_old VALUES (6, 6)");
      running.passFence();
      awaitSuspended(running, "a", "a_old");
      reload(running, "waiting", "a_old");
      awaitSuspended(running, "a");
      assertThat(running.daemon().reload(List.of(new TableId("waiting", "a"))).success()).isTrue();
      onSource("waiting", "RENAME TABLE a TO b", "INSERT INTO b VALUES (7, 7)");
      running.passFence();
      // The new name is suspended too, unless the reload has ended before.
      await()
          .atMost(PATIENCE)
          .until(() -> suspended(running).contains("b") || suspended(running).isEmpty());
      if (suspended(running).contains("b")) {
        reload(running, "waiting", "b");
      }
      onSource("waiting", "INSERT INTO b VALUES (8, 8)", "DELETE FROM a_old WHERE id = 1");
      running.passFence();
      requireEqual("waiting", "b", "a_old");
    }
  }

  /** Nothing of the log made it, so its first row suspends it. */
  @Test
  void aTableThatTookAFormerNameUnseenIsFollowedForGoodOnceItIsLoadedAgain() throws Exception {
    create("unseen", "CREATE TABLE a (id INT PRIMARY KEY, v INT)", "INSERT INTO a VALUES (1, 1)");
    TaskFolder task = task("unseen", "");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      onSource(
          "unseen",
          "RENAME TABLE a TO a_old",
          "SET SESSION sql_log_bin = 0",
          "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
          "SET SESSION sql_log_bin = 1",
          "INSERT INTO a VALUES (2, 2)");
      awaitSuspended(running, "a");
      reload(running, "unseen", "a");
      onSource("unseen", "INSERT INTO a VALUES (3, 3)");
      running.awaitApplied();
      requireEqual("unseen", "a", "a_old");
    }
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      onSource("unseen", "INSERT INTO a VALUES (4, 4)", "INSERT INTO a_old VALUES (5, 5)");
      running.awaitApplied();
      assertThat(suspended(running)).isEmpty();
      requireEqual("unseen", "a", "a_old");
    }
  }

  @Test
  void aTableIsFromThenOnWhatTheRulesSayOfItsNewName() throws Exception {
    create(
        "ruled",
        "CREATE TABLE away (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE cut (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE a_new (id INT PRIMARY KEY, v INT)",
        "INSERT INTO away VALUES (1, 1)",
        "INSERT INTO cut VALUES (1, 1)",
        "INSERT INTO a VALUES (1, 1)",
        "INSERT INTO a_new VALUES (1, 2)");
    TaskFolder task =
        task("ruled", "")
            .rules(
                """
                    - {rule-type: selection, rule-id: "1", rule-name: "1", rule-action: include,
                       object-locator: {schema-name: ruled, table-name: "%"}}
                    - {rule-type: selection, rule-id: "2", rule-name: "2", rule-action: exclude,
                       object-locator: {schema-name: ruled, table-name: "x_%"}}
                    - {rule-type: transformation, rule-id: "3", rule-name: "3", rule-target: table,
                       rule-action: rename, object-locator: {schema-name: ruled, table-name: far},
                       value: farther}
                    - {rule-type: transformation, rule-id: "4", rule-name: "4", rule-target: column,
                       rule-action: remove-column,
                       object-locator: {schema-name: ruled, table-name: cut, column-name: v}}
                """);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      onSource(
          "ruled",
          "RENAME TABLE away TO far",
          "RENAME TABLE a TO x_a, a_new TO a",
          "INSERT INTO far VALUES (2, 2)",
          "INSERT INTO x_a VALUES (2, 2)",
          "INSERT INTO a VALUES (2, 4)");
      running.passFence();
      // The target has the rows of the excluded one under the name.
      awaitSuspended(running, "a");
      assertThat(onTarget("ruled", "SELECT * FROM ruled.farther ORDER BY id"))
          .containsExactly("1|1", "2|2");
      assertThat(onTarget("ruled", "SELECT * FROM ruled.a")).containsExactly("1|1");
      reload(running, "ruled", "a");
      requireEqual("ruled", "a");

      // The values that the rule of its first name has removed are not on the target.
      onSource("ruled", "RENAME TABLE cut TO uncut", "INSERT INTO uncut VALUES (2, 2)");
      running.passFence();
      awaitSuspended(running, "uncut");
      reload(running, "ruled", "uncut");
      requireEqual("ruled", "uncut");
    }
  }

  @Test
  void whatWasFoundOfATableIsNeitherRepairedNorProvenUnderTheNameThatItLost() throws Exception {
    create(
        "compared",
        "CREATE TABLE a (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE a_new (id INT PRIMARY KEY, v INT)",
        "INSERT INTO a VALUES (1, 1), (2, 2)",
        "INSERT INTO a_new VALUES (1, 10), (50, 50)");
    TaskFolder task =
        task(
            "compared",
            "ValidationSettings: {EnableValidation: true}, Sluice: {ValidationDutyCycle: 100}, ");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      onTarget(
          "compared",
          "UPDATE compared.a SET v = 7 WHERE id = 1; INSERT INTO compared.a VALUES (50, 1)");
      running.daemon().validate(List.of(), Optional.empty());
      await("the faults are listed")
          .atMost(PATIENCE)
          .until(() -> running.daemon().status().validation().failed() == 2);
      onSource(
          "compared",
          "RENAME TABLE a TO a_old, a_new TO a",
          "INSERT INTO a VALUES (3, 3)",
          "INSERT INTO a_old VALUES (3, 3)");
      running.awaitApplied();
    }
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.daemon().repair(List.of(), true);
      requireEqual("compared", "a");
      // Under its new name the other one may have been compared and repaired by now.
      Outcome compared = running.daemon().validate(List.of(), Optional.empty());
      assertThat(compared.details().toString())
          .contains("compared.a: 3 rows, equal", "compared.a_old");
      assertThat(
              onTarget(
                  "compared",
                  "SELECT table_name, count(*) FROM sluice_control.sluice_validation_failures_v2"
                      + " GROUP BY 1"))
          .as("listed, or noted as repaired")
          .containsExactly("a_old|2");
      assertThat(running.daemon().repair(List.of(), true).success()).isTrue();
      requireEqual("compared", "a", "a_old");
      Outcome equal = running.daemon().validate(List.of(), Optional.empty());
      assertThat(equal.success()).as(equal.toString()).isTrue();
      assertThat(running.daemon().status().tables().toString()).contains("a_old");
    }
  }

  /** One table is held up, so that the load breaks off when the others are loaded. */
  @Test
  void tablesThatAreRenamedBeforeALoadGoesOnAreLoadedUnderTheirNewNames() throws Exception {
    create(
        "loading",
        "CREATE TABLE gated (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE kept (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE during (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE down (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE s (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE s_new (id INT PRIMARY KEY, v INT)");
    for (String table : List.of("gated", "kept", "during", "down", "s", "s_new")) {
      onSource("loading", "INSERT INTO %s VALUES (1, 1), (2, %d)".formatted(table, table.length()));
    }
    onTarget(
        "loading",
        """
        CREATE FUNCTION public.gate() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN true; END $$;
        CREATE FUNCTION public.close_gate() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF to_regclass('loading.gated') IS NOT NULL AND NOT EXISTS (SELECT FROM pg_constraint
              WHERE conrelid = to_regclass('loading.gated') AND conname = 'gate') THEN
            ALTER TABLE loading.gated ADD CONSTRAINT gate CHECK (public.gate()) NO INHERIT;
          END IF;
        END $$;
        CREATE EVENT TRIGGER gates ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
          EXECUTE FUNCTION public.close_gate();
        ALTER EVENT TRIGGER gates ENABLE ALWAYS
        """);
    TaskFolder task = task("loading", "");
    try (Connection gate = target.connect("loading")) {
      rows(gate, "SELECT pg_advisory_lock(42)");
      try (RunningDaemon running = RunningDaemon.start(task.config())) {
        running.awaitPhase("full-load");
        await("the others are loaded")
            .atMost(PATIENCE)
            .ignoreExceptions()
            .untilAsserted(
                () ->
                    assertThat(
                            onTarget(
                                "loading",
                                "SELECT count(*) FROM sluice_control.load_segment WHERE done"))
                        .containsExactly("5"));
        onSource(
            "loading",
            "INSERT INTO during VALUES (3, 3)",
            "RENAME TABLE during TO during_now",
            "INSERT INTO during_now VALUES (4, 4)");
      }
    }
    onSource(
        "loading",
        "INSERT INTO kept VALUES (3, 3)",
        "INSERT INTO down VALUES (3, 3)",
        "INSERT INTO s VALUES (3, 3)",
        "INSERT INTO s_new VALUES (3, 4)",
        "RENAME TABLE down TO down_now, s TO s_old, s_new TO s",
        "INSERT INTO down_now VALUES (4, 4)",
        "INSERT INTO s_old VALUES (4, 5)",
        "INSERT INTO s VALUES (4, 6)");
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      running.awaitPhase("replicating");
      onSource(
          "loading",
          "UPDATE kept SET v = 9",
          "UPDATE down_now SET v = 9",
          "UPDATE during_now SET v = 9",
          "UPDATE s SET v = 9",
          "UPDATE s_old SET v = 8");
      running.passFence();
      assertThat(suspended(running)).isEmpty();
      requireEqual("loading", "gated", "kept", "during_now", "down_now", "s", "s_old");
      assertThat(
              onTarget(
                  "loading",
                  "SELECT source_table FROM sluice_control.load_segment WHERE attempt = 1"))
          .containsExactly("kept");
    }
  }

  private static void awaitSuspended(RunningDaemon running, String... tables) {
    await("suspended: " + List.of(tables))
        .atMost(PATIENCE)
        .until(() -> suspended(running).equals(List.of(tables)));
  }

  /** Until the table has joined the others; a reload that fails is a failure at once. */
  private static void reload(RunningDaemon running, String database, String table)
      throws InterruptedException {
    assertThat(running.daemon().reload(List.of(new TableId(database, table))).success()).isTrue();
    await("reload of " + table)
        .atMost(PATIENCE)
        .until(
            () -> {
              List<String> failed =
                  running.daemon().status().suspended().stream()
                      .filter(
                          each -> each.table().equals(table) && each.state().equals("suspended"))
                      .map(each -> each.reason())
                      .toList();
              assertThat(failed).isEmpty();
              return !suspended(running).contains(table);
            });
  }

  private static List<String> suspended(RunningDaemon running) {
    return running.daemon().status().suspended().stream()
        .map(table -> table.table())
        .sorted()
        .toList();
  }

  private void create(String database, String... statements) throws SQLException {
    source.createDatabase(database);
    target.createDatabase(database);
    onSource(database, statements);
  }

  private TaskFolder task(String database, String settings) throws Exception {
    return TaskFolder.of(
            folder.resolve(database), database, source.port(), target.port(), database, database)
        .replacing(
            "type: postgresql\n  url: postgresql://postgres@127.0.0.1:%d/%s\n  password: ${env:HOME}"
                .formatted(source.port(), database),
            "type: mariadb\n  url: mariadb://root@127.0.0.1:%d/%s"
                .formatted(source.port(), database))
        .settings(
            "{"
                + settings
                + "FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE},"
                + " ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}");
  }

  private void requireEqual(String database, String... tables) throws SQLException {
    for (String table : tables) {
      try (Connection from = source.connect(database)) {
        assertThat(onTarget(database, "SELECT * FROM %s.%s ORDER BY id".formatted(database, table)))
            .as(table)
            .isEqualTo(rows(from, "SELECT * FROM %s ORDER BY id".formatted(table)));
      }
    }
    assertThat(
            onTarget(
                database,
                "SELECT table_name FROM information_schema.tables WHERE table_schema = '%s' ORDER BY 1"
                    .formatted(database)))
        .contains(tables);
  }

  private void onSource(String database, String... statements) throws SQLException {
    try (Connection session = source.connect(database);
        Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private List<String> onTarget(String database, String sql) throws SQLException {
    try (Connection session = target.connect(database)) {
      return rows(session, sql);
    }
  }

  /** The rows, each with its values between bars; none of a statement that has none. */
  private static List<String> rows(Connection session, String sql) throws SQLException {
    try (Statement statement = session.createStatement()) {
      List<String> rows = new ArrayList<>();
      if (!statement.execute(sql)) {
        return rows;
      }
      ResultSet found = statement.getResultSet();
      while (found.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
          row.append(i == 1 ? "" : "|").append(found.getString(i));
        }
        rows.add(row.toString());
      }
      return rows;
    }
  }
}
