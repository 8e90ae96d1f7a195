package dev.sluice.engine.daemon;

import static dev.sluice.engine.check.CheckedTask.problems;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.ToMariadb;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tables that the task made on MariaDB are loaded again only where nothing is lost. */
@ExtendWith(SharedBroker.class)
class MariadbMadeReloadTest {
  private static final String MADE = "TargetTablePrepMode: DROP_AND_CREATE";
  private static final TableId LINE = new TableId("shop", "line");

  private static final String ROWS =
      "SELECT concat_ws('|', orders, no, code) FROM shop.line ORDER BY orders, no";

  private static final String TRIGGER =
      "CREATE TRIGGER shop.%s BEFORE DELETE ON shop.line FOR EACH ROW"
          + " INSERT INTO shop.kept VALUES (OLD.no)";

  private static final String INDEXES =
      "SELECT CONCAT_WS('|', INDEX_NAME, NON_UNIQUE, GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX))"
          + " FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = 'line'"
          + " GROUP BY INDEX_NAME, NON_UNIQUE ORDER BY INDEX_NAME";

  @RegisterExtension static final ToMariadb SIDES = new ToMariadb();

  @TempDir Path folder;

  @Test
  void aTableWithATriggerIsRefusedWithItsRowsAndTheTriggerStillThere() throws Exception {
    create("triggered");
    try (RunningDaemon running = RunningDaemon.replicating(task("triggered", MADE).config())) {
      onTarget("CREATE TABLE shop.kept (no int)", TRIGGER.formatted("keeps"));
      assertThat(running.daemon().reload(List.of(LINE)).success()).isTrue();
      awaitRefusal(running, "trigger keeps");
      requireTriggered("keeps");

      onTarget("DROP TRIGGER shop.keeps", TRIGGER.formatted("holds"));
      onSource("triggered", "ALTER TABLE shop.line ADD COLUMN more int");
      running.daemon().reload(List.of(LINE));
      awaitRefusal(running, "trigger holds");
      requireTriggered("holds");
      assertThat(running.daemon().status().suspended().toString())
          .contains("SHOW CREATE TRIGGER")
          .doesNotContain("overwrite-target-rows");

      onTarget("DROP TRIGGER shop.holds");
      assertThat(running.daemon().reload(List.of(LINE)).success()).isTrue();
      awaitReloaded(running);
      assertThat(onTarget(ROWS)).containsExactly("1|1|a", "1|2|b");
    }
  }

  private static void requireTriggered(String trigger) throws SQLException {
    assertThat(onTarget(ROWS)).containsExactly("1|1|a", "1|2|b");
    assertThat(onTarget("SELECT no FROM shop.kept")).isEmpty();
    assertThat(
            onTarget(
                "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS"
                    + " WHERE EVENT_OBJECT_TABLE = 'line'"))
        .containsExactly(trigger);
  }

  @Test
  void aTableThatHasLostItsKeyIsRefusedWithItsRowsStillThere() throws Exception {
    create("keyless");
    try (RunningDaemon running = RunningDaemon.replicating(task("keyless", MADE).config())) {
      onSource(
          "keyless",
          "ALTER TABLE shop.line DROP CONSTRAINT line_pkey",
          "ALTER TABLE shop.line REPLICA IDENTITY FULL");
      running.daemon().reload(List.of(LINE));
      awaitRefusal(running, "rows without a key");
      assertThat(onTarget(ROWS)).containsExactly("1|1|a", "1|2|b");
      assertThat(onTarget(INDEXES)).contains("PRIMARY|0|orders,no");
    }
  }

  @Test
  void aTableWhoseKeyAloneHasChangedIsMadeWithTheNewOne() throws Exception {
    create("rekeyed");
    try (RunningDaemon running = RunningDaemon.replicating(task("rekeyed", MADE).config())) {
      onSource(
          "rekeyed",
          "ALTER TABLE shop.line DROP CONSTRAINT line_pkey, ADD PRIMARY KEY (no, orders)",
          "INSERT INTO shop.line VALUES (2, 1, 'c')");
      running.awaitSuspended();
      assertThat(running.daemon().reload(List.of(LINE)).success()).isTrue();
      awaitReloaded(running);
      onSource("rekeyed", "UPDATE shop.line SET code = 'z' WHERE no = 2");
      running.awaitApplied();
      assertThat(onTarget(ROWS)).containsExactly("1|1|a", "1|2|z", "2|1|c");
      assertThat(onTarget(INDEXES))
          .containsExactlyInAnyOrder("PRIMARY|0|no,orders", "by_code|1|code");
    }
  }

  /**
   * As after a kill between the creation of the table and the plan of its indexes, also if the mode
   * is another one by then.
   */
  @Test
  void indexesWhosePlanWasLostAreMadeByTheNextReload() throws Exception {
    create("bare");
    TaskFolder task = task("bare", MADE);
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      assertThat(onTarget(INDEXES)).contains("by_code|1|code");
      requireIndexAfterReload(running);
    }
    task.replacing("DROP_AND_CREATE", "TRUNCATE_BEFORE_LOAD");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      requireIndexAfterReload(running);
    }
  }

  private static void requireIndexAfterReload(RunningDaemon running) throws SQLException {
    onTarget("DROP INDEX by_code ON shop.line");
    assertThat(running.daemon().reload(List.of(LINE)).success()).isTrue();
    awaitReloaded(running);
    assertThat(onTarget(INDEXES))
        .containsExactlyInAnyOrder("PRIMARY|0|orders,no", "by_code|1|code");
    assertThat(onTarget(ROWS)).containsExactly("1|1|a", "1|2|b");
  }

  /** The old index would refuse the rows again and again. */
  @Test
  void aTableWhoseUniqueConstraintIsGoneIsMadeWithoutIt() throws Exception {
    create("doubled");
    onSource("doubled", "ALTER TABLE shop.line ADD CONSTRAINT uq_code UNIQUE (code)");
    TaskFolder task =
        task("doubled", MADE)
            .replacing(
                "ErrorBehavior: {", "ErrorBehavior: {ApplyErrorInsertPolicy: SUSPEND_TABLE, ");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      assertThat(onTarget(INDEXES)).contains("uq_code|0|code");
      onSource(
          "doubled",
          "ALTER TABLE shop.line DROP CONSTRAINT uq_code",
          "INSERT INTO shop.line VALUES (1, 3, 'a')");
      running.awaitSuspended();
      assertThat(running.daemon().reload(List.of(LINE)).success()).isTrue();
      awaitReloaded(running);
      assertThat(onTarget(ROWS)).containsExactly("1|1|a", "1|2|b", "1|3|a");
      assertThat(onTarget(INDEXES))
          .containsExactlyInAnyOrder("PRIMARY|0|orders,no", "by_code|1|code");
    }
  }

  @Test
  void aTableWhoseIndexHasOtherColumnsNowIsMadeWithTheNewOne() throws Exception {
    create("reindexed");
    TaskFolder task = task("reindexed", MADE).replacing("SUSPEND_TABLE", "STOP_TASK");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      running.awaitApplied();
      onSource(
          "reindexed", "DROP INDEX shop.by_code", "CREATE INDEX by_code ON shop.line (no, code)");
      assertThat(running.daemon().reload(List.of(LINE)).success()).isTrue();
      awaitReloaded(running);
      assertThat(onTarget(INDEXES))
          .containsExactlyInAnyOrder("PRIMARY|0|orders,no", "by_code|1|no,code");
      assertThat(onTarget(ROWS)).containsExactly("1|1|a", "1|2|b");
    }
  }

  /** It was empty at the command, and the copy waits for the source's open transactions. */
  @Test
  void aTableThatOthersFilledSinceItWasTakenInIsRefusedWithTheirRows() throws Exception {
    create("filled");
    TableId extra = new TableId("shop", "extra");
    try (RunningDaemon running = RunningDaemon.replicating(task("filled", MADE).config());
        Connection open = SIDES.source().connect("filled")) {
      onTarget("CREATE TABLE shop.extra (id int PRIMARY KEY)");
      onSource(
          "filled",
          "CREATE TABLE public.extra (id int PRIMARY KEY)",
          "INSERT INTO public.extra VALUES (1)",
          "ALTER TABLE public.extra SET SCHEMA shop");
      open.setAutoCommit(false);
      try (Statement statement = open.createStatement()) {
        statement.execute("INSERT INTO shop.line VALUES (9, 9, 'z')");
      }
      assertThat(running.daemon().reload(List.of(extra)).success()).isTrue();
      onTarget("INSERT INTO shop.extra VALUES (7)");
      open.rollback();
      awaitRefusal(running, "rows that this task has not loaded");
      assertThat(onTarget("SELECT id FROM shop.extra")).containsExactly("7");
      assertThat(running.daemon().resume(List.of(extra)).success())
          .as("without a copy it would join without its rows")
          .isFalse();

      onTarget("DELETE FROM shop.extra");
      assertThat(running.daemon().reload(List.of(extra)).success()).isTrue();
      awaitReloaded(running);
      assertThat(onTarget("SELECT id FROM shop.extra")).containsExactly("1");
    }
  }

  @Test
  void aNewTableOfAnotherDatabaseIsRefusedBeforeItIsMade() throws Exception {
    create("elsewhere");
    onTarget("CREATE OR REPLACE DATABASE billing");
    TaskFolder task =
        task("elsewhere", MADE)
            .replacing(
                "object-locator: { schema-name: shop,", "object-locator: { schema-name: \"%\",");
    try (RunningDaemon running = RunningDaemon.replicating(task.config())) {
      onSource(
          "elsewhere",
          "CREATE SCHEMA billing",
          "CREATE TABLE billing.invoice (id int PRIMARY KEY)");
      running.daemon().reload(List.of(new TableId("billing", "invoice")));
      awaitRefusal(running, "target database billing");
      assertThat(
              onTarget(
                  "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'billing'"))
          .isEmpty();
    }
  }

  @Test
  void aTableOfAnotherTaskIsLoadedInNoModeAndByNoReload() throws Exception {
    create("maker");
    SIDES.source().createDatabase("taker");
    try (RunningDaemon running = RunningDaemon.replicating(task("maker", MADE).config())) {
      running.awaitApplied();
    }
    onSource("taker", "CREATE SCHEMA shop", "CREATE TABLE shop.own (id int PRIMARY KEY)");
    try (RunningDaemon running =
        RunningDaemon.replicating(consenting(task("taker", MADE)).config())) {
      onSource(
          "taker",
          "CREATE TABLE shop.line (orders int, no int, code varchar(20), PRIMARY KEY (orders, no))");
      running.daemon().reload(List.of(LINE));
      awaitRefusal(running, "was made by another task");
    }
    assertThat(onTarget(ROWS)).containsExactly("1|1|a", "1|2|b");
    SIDES.source().createDatabase("fresh");
    onSource(
        "fresh",
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.line (orders int, no int, code varchar(20), PRIMARY KEY (orders, no))");
    assertThat(
            problems(
                consenting(task("fresh", "TargetTablePrepMode: TRUNCATE_BEFORE_LOAD")).config()))
        .anyMatch(problem -> problem.contains("shop.line: was made by another task"));
    onTarget("DELETE FROM shop.line");
    assertThat(problems(task("fresh", "TargetTablePrepMode: DO_NOTHING").config()))
        .anyMatch(problem -> problem.contains("shop.line: was made by another task"));
  }

  private static TaskFolder consenting(TaskFolder task) {
    return task.replacing("data-dir:", "overwrite-target-rows: true\ndata-dir:");
  }

  private static void awaitRefusal(RunningDaemon running, String words) {
    await("the reload is refused: " + words)
        .atMost(Duration.ofMinutes(5))
        .untilAsserted(
            () -> assertThat(running.daemon().status().suspended().toString()).contains(words));
  }

  private static void awaitReloaded(RunningDaemon running) {
    await("the table is loaded again")
        .atMost(Duration.ofMinutes(5))
        .until(() -> running.daemon().status().suspended().isEmpty());
    running.awaitApplied();
  }

  private static void create(String database) throws SQLException {
    SIDES.source().createDatabase(database);
    onSource(
        database,
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.line (orders int, no int, code varchar(20), PRIMARY KEY (orders, no))",
        "CREATE INDEX by_code ON shop.line (code)",
        "INSERT INTO shop.line VALUES (1, 1, 'a'), (1, 2, 'b')");
    SIDES.createShop();
  }

  private TaskFolder task(String database, String load) throws Exception {
    return SIDES.task(
        folder,
        database,
        ("{FullLoadSettings: {%s}, ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE},"
                + " ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}")
            .formatted(load));
  }

  private static List<String> onSource(String database, String... statements) throws SQLException {
    return SIDES.onSource(database, statements);
  }

  private static List<String> onTarget(String... statements) throws SQLException {
    return SIDES.onTarget(statements);
  }
}
