package dev.sluice.engine.load.completion;

import static dev.sluice.engine.load.completion.TwoDatabases.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SqlDialect;
import dev.sluice.engine.load.FullLoad;
import dev.sluice.engine.load.FullLoadTest;
import dev.sluice.engine.load.LoadAttempt;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.engine.load.PlannedConstraints;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import dev.sluice.engine.validate.ComparedTable;
import dev.sluice.engine.validate.TableComparison;
import dev.sluice.load.AnalysisStep;
import dev.sluice.load.StepMaker;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.load.log.StoredStep;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.EpochFence;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableCompletionTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Building an index on it waits while a session on the target holds the lock. */
  private static final String[] WAITING_FUNCTION = {
    "CREATE SCHEMA app",
    """
    CREATE FUNCTION app.waiting(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_catalog.pg_advisory_xact_lock_shared(42);
      RETURN n;
    END $$
    """,
  };

  private TwoDatabases databases;

  @AfterEach
  void close() throws SQLException {
    databases.close();
  }

  @ParameterizedTest
  @CsvSource({"TO_OLDER, false", "TO_OLDER, true", "TO_NEWER, false", "TO_NEWER, true"})
  void tablesAreInEveryDetailAsOnTheSource(Direction direction, boolean keysAfter)
      throws Exception {
    databases = new TwoDatabases(direction);
    databases.onSource(RichSchema.STATEMENTS);

    load(RichSchema.TABLES, PrepMode.DROP_AND_CREATE, keysAfter, databases.completion(true));
    complete(RichSchema.TABLES, databases.completion(true));

    for (String definitions : RichSchema.COMPARED) {
      assertThat(databases.targetRows(definitions))
          .as(definitions)
          .isNotEmpty()
          .isEqualTo(databases.sourceRows(definitions));
    }
    assertEqual(RichSchema.TABLES);
    assertThat(
            databases.targetRows(
                "SELECT kind, name, detail FROM sluice_control.completion_step"
                    + " WHERE state <> 'done'"))
        .isEmpty();
  }

  @Test
  void indexesAreUsedAndStatisticsExist() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(RichSchema.STATEMENTS);

    load(RichSchema.TABLES, PrepMode.DROP_AND_CREATE, false, databases.completion(true));

    assertThat(
            databases.targetRows("EXPLAIN (COSTS off) SELECT * FROM app.customer WHERE twice = 8"))
        .anyMatch(line -> line.contains("customer_twice"));
    assertThat(
            databases.targetRows("SELECT reltuples::int FROM pg_class WHERE relname = 'customer'"))
        .containsExactly("2000");
    assertThat(databases.targetRows("SELECT count(*) FROM pg_statistic_ext_data"))
        .containsExactly("2");
  }

  @Test
  void nothingIsCreatedOrChangedOnTheUsersOwnTables() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY, b int)");
    databases.onSource(
        "INSERT INTO app.t VALUES (1, 1)",
        "CREATE INDEX t_b ON app.t (b)",
        "COMMENT ON TABLE app.t IS 'the source''s'");
    databases.onTarget("CREATE INDEX mine ON app.t (b, a)", "COMMENT ON TABLE app.t IS 'mine'");
    String indexes =
        "SELECT indexrelid::regclass, indexrelid FROM pg_index"
            + " WHERE indrelid = 'app.t'::regclass ORDER BY 1";
    List<String> before = databases.targetRows(indexes);

    load(List.of(table("t")), PrepMode.TRUNCATE_BEFORE_LOAD, true, databases.completion(true));

    assertThat(databases.targetRows(indexes)).isEqualTo(before);
    assertThat(databases.targetRows("SELECT obj_description('app.t'::regclass)"))
        .containsExactly("mine");
    assertThat(databases.targetRows("SELECT kind, state FROM sluice_control.completion_step"))
        .containsExactly("ANALYZE | done");
  }

  @Test
  void indexesAreBuiltWhileOtherTablesAreStillLoaded() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.first (a int)",
        "CREATE INDEX first_a ON app.first (a)",
        "CREATE TABLE app.last (a int)",
        "INSERT INTO app.first SELECT generate_series(1, 1000)");
    List<TableId> tables = List.of(table("first"), table("last"));
    FullLoad load = fullLoad(tables, PrepMode.DROP_AND_CREATE, false, databases.completion(true));
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    try (Connection exporting = databases.connectToSource();
        Connection blocker = databases.connectToSource();
        Statement lock = blocker.createStatement()) {
      String snapshot = TwoDatabases.exportSnapshot(exporting);
      blocker.setAutoCommit(false);
      lock.execute("LOCK TABLE app.last IN ACCESS EXCLUSIVE MODE");
      Thread loading = new Thread(() -> load.load(plan, snapshot));
      loading.start();

      while (databases.targetRows("SELECT to_regclass('app.first_a')").contains("null")) {
        Thread.sleep(10);
      }

      assertThat(load.progress()).anyMatch(table -> table.ended().isEmpty());
      blocker.commit();
      loading.join();
    }
    try (TableCompletion completion = load.completion()) {
      assertThat(completion.await(PATIENCE)).isTrue();
    }
  }

  @Test
  void anInterruptedCompletionContinuesAndNothingIsCreatedTwice() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(WAITING_FUNCTION);
    databases.onSource(
        "CREATE TABLE app.t (a int, b int)",
        "INSERT INTO app.t SELECT i, i FROM generate_series(1, 100) i",
        "CREATE INDEX made ON app.t (a)",
        "CREATE INDEX waits ON app.t (app.waiting(b))");
    String made = "SELECT 'app.made'::regclass::oid, pg_relation_filenode('app.made')";
    List<String> before;
    databases.onTarget("SELECT pg_advisory_lock(42)");
    try (TableCompletion completion =
        begin(List.of(table("t")), PrepMode.DROP_AND_CREATE, databases.completion(true))) {
      while (databases.targetRows("SELECT to_regclass('app.made')").contains("null")
          || completion.progress().stream().noneMatch(CompletionProgress::isRunning)) {
        Thread.sleep(10);
      }
      before = databases.targetRows(made);
      assertThat(completion.await(Duration.ZERO)).isFalse();
    }
    assertThat(databases.targetRows("SELECT to_regclass('app.waits')")).containsExactly("null");
    databases.onTarget("SELECT pg_advisory_unlock(42)");

    try (TableCompletion again =
        TableCompletion.ofWhole(databases.target(), databases.completion(true), Stage.TABLE)) {
      assertThat(again.await(PATIENCE)).isTrue();
    }

    assertThat(databases.targetRows(made)).isEqualTo(before);
    assertThat(
            databases.targetRows(
                "SELECT indisvalid FROM pg_index WHERE indrelid = 'app.t'::regclass"))
        .containsExactly("t", "t");
  }

  /** Numbers are given again. */
  @Test
  void anAbandonedCompletionDoesNotTakeAStepThatItsSuccessorHasPlanned() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onTarget("CREATE SCHEMA app", "CREATE TABLE app.t (a int)", "CREATE TABLE app.u ()");
    CompletionStepStore journal = databases.completion(true).journal();
    Set<Kind> all = EnumSet.allOf(Kind.class);
    journal.plan(
        List.of(table("t")),
        all,
        List.of(
            CompletionStep.of(
                table("t"),
                Stage.TABLE,
                1,
                Kind.INDEX,
                "t_a",
                List.of(DefinitionStatement.always("index", "CREATE INDEX t_a ON app.t (a)")))),
        EpochFence.NONE);
    StoredStep old = journal.read().get(0);
    journal.plan(
        List.of(table("t")),
        all,
        List.of(AnalysisStep.of(databases.target().dialect(), table("u")).orElseThrow()),
        EpochFence.NONE);
    assertThat(journal.read()).extracting(StoredStep::number).containsExactly(old.number());

    try (StepMaker maker =
        StepMaker.open(databases.target(), journal, Stage.TABLE, DataSize.ofMebibytes(16))) {
      maker.make(old);
    }

    assertThat(databases.targetRows("SELECT to_regclass('app.t_a')")).containsExactly("null");
    assertThat(journal.read())
        .extracting(StoredStep::state)
        .containsExactly(StoredStep.State.WAITING);
  }

  @Test
  void aDaemonThatLostTheTaskPlansNothing() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onTarget("CREATE SCHEMA app", "CREATE TABLE app.t (a int)");
    CompletionStepStore journal = databases.completion(true).journal();
    CheckpointStore checkpoints =
        new CheckpointStore(databases.target(), TwoDatabases.CONTROL_SCHEMA);
    checkpoints.create();
    Checkpoint lost = checkpoints.claim("t");
    checkpoints.claim("t");

    assertThatThrownBy(
            () ->
                journal.plan(
                    List.of(table("t")),
                    EnumSet.allOf(Kind.class),
                    List.of(
                        AnalysisStep.of(databases.target().dialect(), table("t")).orElseThrow()),
                    EpochFence.of(TwoDatabases.CONTROL_SCHEMA, lost)))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(journal.read()).isEmpty();
  }

  @Test
  void aDefinitionInAnotherDialectIsLeftOutAndSaysWhy() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onTarget("CREATE SCHEMA app", "CREATE TABLE app.t (a int)");
    CompletionStepStore journal = databases.completion(true).journal();
    journal.plan(
        List.of(table("t")),
        EnumSet.allOf(Kind.class),
        List.of(
            CompletionStep.of(
                table("t"),
                Stage.TABLE,
                1,
                Kind.INDEX,
                "t_a",
                List.of(
                    new DefinitionStatement(
                        new SqlDialect("mariadb"),
                        "index",
                        "",
                        "CREATE INDEX `t_a` ON `t` (`a`)")))),
        EpochFence.NONE);

    assertThat(journal.read())
        .extracting(StoredStep::state, StoredStep::detail)
        .containsExactly(
            tuple(
                StoredStep.State.SKIPPED,
                "it is written for mariadb, which the target cannot run"));
  }

  @Test
  void anInvalidIndexIsBuiltAgain() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app", "CREATE TABLE app.t (a int)", "CREATE INDEX t_a ON app.t (a)");
    load(List.of(table("t")), PrepMode.DROP_AND_CREATE, false, databases.completion(true));
    databases.onTarget(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'app.t_a'::regclass",
        "UPDATE sluice_control.completion_step SET state = 'waiting'");

    try (TableCompletion again =
        TableCompletion.ofWhole(databases.target(), databases.completion(true), Stage.TABLE)) {
      assertThat(again.await(PATIENCE)).isTrue();
    }

    assertThat(
            databases.targetRows(
                "SELECT indisvalid FROM pg_index WHERE indrelid = 'app.t'::regclass"))
        .containsExactly("t");
  }

  @Test
  void anIndexThatTheTargetRefusesStopsTheTaskAndIsNamedWithItsFix() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    fillWithDuplicates();
    CompletionSettings stopping = databases.completion(true);

    assertThatThrownBy(() -> finish(begin(duplicates(), PrepMode.DROP_AND_CREATE, stopping)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("index app.one_each")
        .hasMessageContaining("(b)=(7) is duplicated")
        .hasMessageContaining("TableErrorPolicy");

    databases.onTarget("UPDATE app.t SET b = a");
    try (TableCompletion again =
        TableCompletion.ofWhole(databases.target(), stopping, Stage.TABLE)) {
      assertThat(again.await(PATIENCE)).isTrue();
    }
    assertThat(databases.targetRows("SELECT 'app.one_each'::regclass")).isNotEmpty();
  }

  @Test
  void anIndexThatTheTargetRefusesIsNamedAndTheOthersAreBuiltIfThePolicySaysSo() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    fillWithDuplicates();

    finish(begin(duplicates(), PrepMode.DROP_AND_CREATE, databases.completion(false)));

    assertThat(
            databases.targetRows(
                "SELECT name, state FROM sluice_control.completion_step ORDER BY step"))
        .containsExactly("app.one_each | failed", "app.other | done", "app.t | done");
    assertThat(
            databases.targetRows(
                "SELECT detail FROM sluice_control.completion_step WHERE state = 'failed'"))
        .singleElement()
        .asString()
        .contains("(b)=(7) is duplicated");
  }

  @Test
  void aForeignKeyToATableThatTheTargetLacksIsSkippedAndNamed() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.outside (a int PRIMARY KEY)",
        "CREATE TABLE app.t (a int CONSTRAINT points_out REFERENCES app.outside)");
    load(List.of(table("t")), PrepMode.DROP_AND_CREATE, false, databases.completion(true));

    complete(List.of(table("t")), databases.completion(true));

    assertThat(
            databases.targetRows(
                "SELECT kind, name, state, detail FROM sluice_control.completion_step"
                    + " WHERE kind = 'FOREIGN_KEY'"))
        .containsExactly(
            "FOREIGN_KEY | app.t.points_out | skipped | the target has no table app.outside");
  }

  @Test
  void aForeignKeyThatTheRowsBreakIsNamedAndHoldsForNewRows() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.parent (a int PRIMARY KEY)",
        "CREATE TABLE app.child (a int CONSTRAINT has_parent REFERENCES app.parent)",
        "INSERT INTO app.parent VALUES (1)",
        "INSERT INTO app.child VALUES (1)",
        // With disabled triggers invalid rows can be written, and the constraint stays valid.
        "SET session_replication_role = replica",
        "INSERT INTO app.child VALUES (2)",
        "RESET session_replication_role");
    List<TableId> tables = List.of(table("child"), table("parent"));
    load(tables, PrepMode.DROP_AND_CREATE, false, databases.completion(true));

    complete(tables, databases.completion(true).goingOn());

    assertThat(
            databases.targetRows(
                "SELECT kind, state, detail LIKE '%(a)=(2) is not present%'"
                    + " FROM sluice_control.completion_step WHERE name LIKE '%has_parent' ORDER BY step"))
        .containsExactly("FOREIGN_KEY | done | f", "VALIDATION | failed | t");
    assertThatThrownBy(() -> databases.onTarget("INSERT INTO app.child VALUES (3)"))
        .hasMessageContaining("has_parent");
  }

  @Test
  void tablesInAnotherSchemaReferenceEachOtherThere() throws Exception {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(RichSchema.STATEMENTS);
    TableMappings elsewhere =
        TableMappings.parse("mappings", FullLoadTest.ALL_OF_APP, Optional.of("else \"where"));
    FullLoad load =
        new FullLoad(
            databases.route(elsewhere),
            RichSchema.TABLES,
            settings(PrepMode.DROP_AND_CREATE, true),
            databases.completion(true));
    load(load);
    try (TableCompletion constraints =
        PlannedConstraints.begin(
            databases.source(),
            databases.target(),
            RichSchema.TABLES,
            elsewhere,
            databases.completion(true),
            EpochFence.NONE)) {
      assertThat(constraints.await(PATIENCE)).isTrue();
    }

    assertThat(
            databases.targetRows(
                "SELECT DISTINCT confrelid::regclass FROM pg_constraint"
                    + " WHERE contype = 'f' AND conparentid = 0 ORDER BY 1"))
        .containsExactlyInAnyOrder(
            "\"else \"\"where\".customer", "\"else \"\"where\".sale", "\"else \"\"where\".base");
    assertThat(
            databases.targetRows(
                "SELECT state, count(*) FROM sluice_control.completion_step GROUP BY 1"))
        .hasSize(1);
    assertThat(
            databases.targetRows(
                "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('app')"))
        .containsExactly("0");
  }

  private void fillWithDuplicates() throws SQLException {
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.t (a int PRIMARY KEY, b int)",
        "CREATE UNIQUE INDEX one_each ON app.t (b)",
        "CREATE INDEX other ON app.t (b)",
        "INSERT INTO app.t VALUES (1, 7), (2, 8)",
        // Rows that a corrupt index of the source would allow.
        "UPDATE pg_index SET indisready = false, indisunique = true"
            + " WHERE indexrelid = 'app.one_each'::regclass",
        "UPDATE app.t SET b = 7 WHERE a = 2");
  }

  private static List<TableId> duplicates() {
    return List.of(table("t"));
  }

  private void load(
      List<TableId> tables, PrepMode mode, boolean keysAfter, CompletionSettings completion)
      throws Exception {
    load(fullLoad(tables, mode, keysAfter, completion));
  }

  private void load(FullLoad load) throws Exception {
    finish(begin(load));
  }

  private static void finish(TableCompletion begun) throws InterruptedException {
    try (begun) {
      assertThat(begun.await(PATIENCE)).isTrue();
    }
  }

  private TableCompletion begin(List<TableId> tables, PrepMode mode, CompletionSettings completion)
      throws SQLException {
    return begin(fullLoad(tables, mode, false, completion));
  }

  private TableCompletion begin(FullLoad load) throws SQLException {
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    try (Connection exporting = databases.connectToSource()) {
      load.load(plan, TwoDatabases.exportSnapshot(exporting));
    }
    return load.completion();
  }

  private void complete(List<TableId> tables, CompletionSettings settings) throws Exception {
    try (TableCompletion constraints =
        PlannedConstraints.begin(
            databases.source(),
            databases.target(),
            tables,
            TableMappings.EVERYTHING,
            settings,
            EpochFence.NONE)) {
      assertThat(constraints.await(PATIENCE)).isTrue();
    }
  }

  private FullLoad fullLoad(
      List<TableId> tables, PrepMode mode, boolean keysAfter, CompletionSettings completion) {
    return new FullLoad(
        databases.route(TableMappings.parse("mappings", FullLoadTest.ALL_OF_APP, Optional.empty())),
        tables,
        settings(mode, keysAfter),
        completion);
  }

  private static TaskSettings settings(PrepMode mode, boolean keysAfter) {
    return TaskSettings.DEFAULTS
        .with(FullLoadSettings.TARGET_TABLE_PREP_MODE, mode)
        .with(FullLoadSettings.CREATE_PK_AFTER_FULL_LOAD, keysAfter)
        .with(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS, 2)
        .with(FullLoadSettings.COMMIT_RATE, 1000);
  }

  private void assertEqual(List<TableId> tables) {
    assertThat(
            new TableComparison(databases.source(), databases.target(), TableMappings.EVERYTHING)
                .compare(tables))
        .allMatch(ComparedTable::isEqual);
  }
}
