package dev.sluice.target.yugabytedb;

import static dev.sluice.load.target.LoadTestOutlines.column;
import static dev.sluice.load.target.LoadTestOutlines.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OtherObject;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.load.MadeTables;
import dev.sluice.load.MarkedTables;
import dev.sluice.load.PlannedValidations;
import dev.sluice.load.PlannedValidations.Seen;
import dev.sluice.load.RowGuard;
import dev.sluice.load.StepMaker;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.load.log.StoredStep;
import dev.sluice.load.target.LoadTestOutlines;
import dev.sluice.load.target.MadeTable;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables are dropped and created statement by statement, and none goes that is not the task's. */
class YugabyteMadeTablesTest {
  private static final TableId ITEM = new TableId("made", "item");
  private static final TableId PART = new TableId("made", "part");
  private static final String CONTROL = "sluice_made";
  private static final TaskMark MARK = new TaskMark("shop", UUID.randomUUID(), "schema x");
  private static final TaskMark OTHER = new TaskMark("shop", UUID.randomUUID(), "schema y");

  private static final String TABLES =
      "SELECT c.relname || '|' || coalesce(obj_description(c.oid, 'pg_class'), '')"
          + " FROM pg_class c WHERE c.relnamespace = 'made'::regnamespace AND c.relkind = 'r'"
          + " ORDER BY 1";

  private static final String INDEXES =
      "SELECT c.relname || '|' || i.indisvalid FROM pg_index i JOIN pg_class c"
          + " ON c.oid = i.indexrelid WHERE c.relnamespace = 'made'::regnamespace"
          + " AND c.relname NOT LIKE '%key' ORDER BY 1";

  private YugabyteLab database;
  private StrictProxy proxy;
  private TargetServer server;

  @BeforeEach
  void create() throws Exception {
    database = YugabyteLab.database();
    proxy = new StrictProxy(YugabyteLab.postgresPort(), 0);
    server = database.serverAt(proxy.port());
  }

  @AfterEach
  void nothingThatYugabytedbRefusesWasSent() throws Exception {
    assertThat(proxy.refused()).isEmpty();
    proxy.close();
    database.drop();
  }

  @Test
  void aTableIsMadeWithItsSchemaItsKeyItsIdentityAndTheMarkOfItsTask() throws SQLException {
    make(MARK, false, item());
    assertThat(texts(TABLES)).containsExactly("item|" + MARK.text() + ", as table made.item");
    assertThat(
            texts(
                "SELECT concat_ws('|', attname, format_type(atttypid, atttypmod), attnotnull,"
                    + " attidentity, pg_get_expr(adbin, adrelid)) FROM pg_attribute LEFT JOIN"
                    + " pg_attrdef ON adrelid = attrelid AND adnum = attnum"
                    + " WHERE attrelid = 'made.item'::regclass AND attnum > 0 ORDER BY attnum"))
        .containsExactly(
            "id|integer|t|d",
            "code|character varying(20)|t||'new'::character varying",
            "note|text|f|");
    assertThat(
            texts(
                "SELECT conname || '|' || pg_get_constraintdef(oid) FROM pg_constraint"
                    + " WHERE conrelid = 'made.item'::regclass AND contype = 'p'"))
        .containsExactly("item_pkey|PRIMARY KEY (id)");
    assertThat(on(MARK, false).mayMakeAgain(ITEM)).isTrue();
    assertThat(on(OTHER, false).mayMakeAgain(ITEM)).isFalse();
  }

  /** The connection breaks before the statement, as if the daemon was killed there. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "create schema",
        "create table",
        "comment on table",
        "alter table",
        "drop table \"made\".\"item\""
      })
  void anAttemptAfterAKillGoesOnWhereverItWas(String statement) throws SQLException {
    if (statement.startsWith("drop")) {
      make(MARK, false, item());
    }
    proxy.failOnce(statement.startsWith("drop") ? "drop table name" : statement, Fault.LOST_BEFORE);
    assertThatThrownBy(() -> make(MARK, false, item()))
        .isInstanceOf(SluiceException.Retryable.class);
    make(MARK, false, item());
    assertThat(texts(TABLES)).containsExactly("item|" + MARK.text() + ", as table made.item");
  }

  @Test
  void aTableThatTheTaskDidNotMakeIsDroppedWithConsentOnlyEvenIfItIsEmpty() throws SQLException {
    run("CREATE SCHEMA made", "CREATE TABLE made.item (id int)");
    refused(MARK, false, "1 table that this task did not make: made.item", "overwrite-target-rows");
    run("INSERT INTO made.item VALUES (9)");
    refused(MARK, false, "made.item", "overwrite-target-rows: true");
    assertThat(texts("SELECT id FROM made.item")).containsExactly("9");
    make(MARK, true, item());
    assertThat(texts("SELECT id FROM made.item")).isEmpty();
  }

  @Test
  void aTableOfAnotherTaskOrWithRowsThatAreNotTheTasksIsKept() throws SQLException {
    make(OTHER, false, item());
    refused(MARK, true, "was made by another task", "COMMENT ON TABLE", "IS NULL");
    run("COMMENT ON TABLE made.item IS NULL");
    make(MARK, true, item());
    run("INSERT INTO made.item (code) VALUES ('of the applications')");
    refused(MARK, false, "with rows that this task has not loaded: made.item");
    run(
        "DELETE FROM made.item",
        "CREATE FUNCTION made.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TRIGGER watch BEFORE INSERT ON made.item FOR EACH ROW EXECUTE FUNCTION made.f()");
    refused(MARK, false, "made.item: has trigger watch", "pg_get_triggerdef");
    assertThat(texts("SELECT count(*) FROM made.item")).containsExactly("0");
  }

  @Test
  void aSupersededDaemonDropsNothing() throws SQLException {
    make(MARK, false, item());
    EpochFence superseded =
        connection -> {
          throw new SluiceException.Fenced("superseded");
        };
    MadeTables making = on(MARK, false);
    assertThatThrownBy(() -> making.make(making.of(List.of(item())), superseded))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(texts("SELECT count(*) FROM made.item")).containsExactly("0");
  }

  @Test
  void whatOthersReferenceOrIsNoTableIsNeverDropped() throws SQLException {
    make(MARK, false, item());
    run("CREATE TABLE made.outside (id int REFERENCES made.item (id))");
    refused(MARK, true, "is referenced by foreign keys of [made.outside]");
    run("DROP TABLE made.outside", "CREATE VIEW made.seen AS SELECT id FROM made.item");
    refused(MARK, true, "is referenced by");
    run("DROP VIEW made.seen", "DROP TABLE made.item", "CREATE VIEW made.item AS SELECT 1 AS id");
    refused(MARK, true, "is a VIEW");
  }

  @Test
  void whatIsInTheWayOfATableBeforeItHasItsNameIsKeptIfItHasRows() throws SQLException {
    String unnamed = "sluice_new_" + Integer.toHexString(ITEM.toString().hashCode());
    run("CREATE SCHEMA made", "CREATE TABLE made.%s (id int)".formatted(unnamed));
    run("INSERT INTO made.%s VALUES (1)".formatted(unnamed));
    assertThatThrownBy(() -> make(MARK, false, item()))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(unnamed);
    assertThat(texts("SELECT id FROM made." + unnamed)).containsExactly("1");
  }

  /** As if somebody made it after the look, with a table or with the name of its key. */
  @Test
  void aNameThatIsTakenMeanwhileIsSaidAndNothingOfTheTableStays() throws SQLException {
    run("CREATE SCHEMA made", "CREATE TABLE made.other (id int)");
    run("CREATE INDEX item_pkey ON made.other (id)");
    assertThatThrownBy(() -> make(MARK, false, item()))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("item_pkey");
    assertThat(texts(TABLES)).containsExactly("other|");
    run("DROP TABLE made.other", "CREATE TABLE made.item (id int)");
    YugabyteTableMaking making = new YugabyteTableMaking();
    try (TargetConnection connection = server.connect()) {
      MadeTable table = making.of(List.of(item())).get(0);
      assertThatThrownBy(() -> making.create(connection, table, "x"))
          .isInstanceOfSatisfying(
              SQLException.class, error -> assertThat(making.isThere(error)).isTrue());
    }
    assertThat(texts(TABLES)).containsExactly("item|");
  }

  @Test
  void aTableIsMadeByOneSessionAtATime() throws Exception {
    YugabyteTableMaking making = new YugabyteTableMaking();
    MadeTable table = making.of(List.of(item())).get(0);
    CompletableFuture<Throwable> second;
    try (TargetConnection first = server.connect()) {
      LoadLocks.holdMade(first, ITEM);
      first.jdbc().commit();
      second =
          CompletableFuture.supplyAsync(
              () -> {
                try (TargetConnection connection = server.connect()) {
                  making.create(connection, table, "x");
                  return null;
                } catch (SQLException e) {
                  return e;
                }
              });
      await("the second one waits")
          .atMost(Duration.ofMinutes(5))
          .until(
              () ->
                  texts("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                      .equals(List.of("1")));
      assertThat(texts("SELECT count(*) FROM pg_namespace WHERE nspname = 'made'"))
          .containsExactly("0");
      LoadLocks.releaseMade(first, ITEM);
    }
    assertThat(second.get()).isNull();
    assertThat(texts(TABLES)).containsExactly("item|x");
  }

  @Test
  void whatDoesNotFitIsNamedTogetherBeforeAnythingIsMade() {
    TableOutline odd =
        new TableOutline(
            ITEM,
            ITEM,
            List.of(
                column("id", "jsonb", true),
                column("mood", "shop.mood", false),
                new OutlinedColumn("sum", "integer", false, true, false, Optional.empty())),
            List.of("id"),
            true,
            List.of(),
            List.of(),
            List.of(new OtherObject("partitions", "of the table", "PARTITION BY RANGE (id)")));
    MadeTables making = on(MARK, false);
    assertThat(making.objections(making.of(List.of(odd))).stream().map(Problem::toString))
        .hasSize(4)
        .anyMatch(problem -> problem.contains("column id") && problem.contains("key"))
        .anyMatch(problem -> problem.contains("column mood") && problem.contains("shop.mood"))
        .anyMatch(problem -> problem.contains("column sum") && problem.contains("generated"))
        .anyMatch(problem -> problem.contains("PARTITION BY RANGE"));
    MadeTable twice =
        making
            .of(List.of(table(PART, column("id", "integer", true), column("id", "text", false))))
            .get(0);
    assertThat(making.objections(List.of(twice)))
        .singleElement()
        .asString()
        .contains("specified more than once");
  }

  @Test
  void onlyConstantsAndKnownFunctionsAreDefaults() {
    for (String made :
        List.of(
            "5",
            "'-1'::integer",
            "(-2)",
            "'it''s'::text",
            "'{}'::text[]",
            "'x'::character varying(3)",
            "'2020-01-01 00:00:00'::timestamp without time zone",
            "NULL::character varying",
            "now()",
            "true")) {
      assertThat(MadeDefault.isMade(made)).as(made).isTrue();
    }
    for (String left :
        List.of(
            "nextval('shop.s'::regclass)",
            "pg_read_file('/etc/passwd'::text)",
            "'good'::shop.mood",
            "('now'::text)::date",
            "'a'::text || 'b'::text",
            "'x'::text COLLATE \"C\"")) {
      assertThat(MadeDefault.isMade(left)).as(left).isFalse();
    }
  }

  @Test
  void onlyChecksThatCallNothingAreMade() {
    for (String made :
        List.of(
            "CHECK ((amount > (0)::numeric))",
            "CHECK ((amount > '-1.5'::numeric(12,2)))",
            "CHECK (((state)::text = ANY ((ARRAY['a'::character varying, 'b''(x)'::character varying])::text[])))",
            "CHECK (((low < high) AND ((low IS NOT NULL) OR (\"High\" = 3))))")) {
      assertThat(MadeChecks.isMade(new OtherObject("check", "c", made))).as(made).isTrue();
    }
    for (String left :
        List.of(
            "CHECK ((length(code) > 3))",
            "CHECK ((pg_read_file('/etc/passwd'::text) IS NULL))",
            "CHECK ((mood = 'good'::shop.mood))",
            "CHECK ((a OPERATOR(shop.===) b))",
            "CHECK (((a)::mood = b))",
            "CHECK ((a > 0)) NOT VALID",
            "CHECK ((a > 0)) NO INHERIT",
            "CHECK ((\"f\"(a) > 0))",
            "with the source's columns: CHECK ((a > 0))")) {
      assertThat(MadeChecks.isMade(new OtherObject("check", "c", left))).as(left).isFalse();
    }
  }

  @Test
  void indexesAndForeignKeysAreMadeOnceAlsoIfTheirRecordWasLost() throws SQLException {
    List<StoredStep> planned = planned();
    try (StepMaker maker = StepMaker.open(server, steps(), Stage.TABLE, DataSize.ofMebibytes(64))) {
      for (StoredStep step : planned) {
        assertThat(maker.make(step).state()).as(step.thing()).isEqualTo(StoredStep.State.DONE);
      }
      // As after a kill between the statement and its record.
      run("UPDATE " + CONTROL + ".completion_step SET state = 'waiting'");
      for (StoredStep step : planned) {
        assertThat(maker.make(step).state()).isEqualTo(StoredStep.State.DONE);
      }
    }
    assertThat(texts(INDEXES)).containsExactly("by_code|true", "by_note|true");
    assertThat(
            texts(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f'"
                    + " AND conrelid = 'made.part'::regclass"))
        .containsExactly("FOREIGN KEY (item) REFERENCES made.item(id) ON DELETE CASCADE");
  }

  @Test
  void aConstraintThatIsNotThereIsNotValidated() throws SQLException {
    List<StoredStep> planned = planned();
    try (StepMaker maker =
        StepMaker.open(server, steps(), Stage.CONSTRAINTS, DataSize.ofMebibytes(64))) {
      StoredStep validation = validation(planned);
      StepMaker.Made made = maker.make(validation);
      assertThat(made.state()).isEqualTo(StoredStep.State.FAILED);
      assertThat(made.detail()).contains("does not exist");
    }
  }

  @Test
  void aServerThatCannotValidateDoesNotFailTheConstraint() throws SQLException {
    List<StoredStep> planned = planned();
    StoredStep validation = validation(planned);
    CompletionStep step = validation.step();
    DefinitionStatement unsupported =
        new DefinitionStatement(
            YugabyteIndexes.DIALECT,
            "validated",
            "",
            "DO $$ BEGIN RAISE EXCEPTION 'not yet' USING ERRCODE = '0A000'; END $$");
    try (StepMaker maker =
        StepMaker.open(server, steps(), Stage.CONSTRAINTS, DataSize.ofMebibytes(64))) {
      StepMaker.Made made =
          maker.make(
              new StoredStep(
                  validation.number(),
                  new CompletionStep(
                      step.table(),
                      step.stage(),
                      step.place(),
                      step.kind(),
                      step.name(),
                      step.references(),
                      step.skipped(),
                      List.of(step.statements().get(0), unsupported)),
                  validation.state(),
                  validation.detail(),
                  validation.started(),
                  validation.ended()));
      assertThat(made.state()).isEqualTo(StoredStep.State.SKIPPED);
      assertThat(made.detail()).contains("holds for new rows", "not yet");
    }
  }

  @Test
  void aConstraintAtWhichTheStorageAlwaysFailsIsLeftToThePeopleAndTheOthersAreMade()
      throws SQLException {
    List<StoredStep> planned = planned();
    StoredStep validation = validation(planned);
    proxy.failEach("alter table name.name validate");
    try (StepMaker maker =
        StepMaker.open(server, steps(), Stage.CONSTRAINTS, DataSize.ofMebibytes(64))) {
      for (StoredStep step : planned) {
        if (step.step().stage() == Stage.CONSTRAINTS) {
          StepMaker.Made made = maker.make(step);
          assertThat(made.state())
              .as(step.thing())
              .isEqualTo(
                  step.number() == validation.number()
                      ? StoredStep.State.FAILED
                      : StoredStep.State.DONE);
          if (step.number() == validation.number()) {
            assertThat(made.detail())
                .contains("given up after 5 tries", "unexpected state", "Run it by hand: ALTER");
          }
        }
      }
    } finally {
      proxy.failNone();
    }
  }

  /** What an attempt leaves of it would be in the way of the last statement alone. */
  @Test
  void whatIsLeftToThePeopleIsNamedWithAllItsStatements() throws SQLException {
    StoredStep index = planned().get(0);
    CompletionStep step = index.step();
    StoredStep late =
        new StoredStep(
            index.number(),
            CompletionStep.of(
                step.table(),
                Stage.CONSTRAINTS,
                step.place(),
                step.kind(),
                step.name(),
                step.statements()),
            index.state(),
            index.detail(),
            index.started(),
            index.ended());
    proxy.failEach("create unique index");
    try (StepMaker maker =
        StepMaker.open(server, steps(), Stage.CONSTRAINTS, DataSize.ofMebibytes(64))) {
      assertThat(maker.make(late).detail())
          .contains("Run it by hand: DROP INDEX \"made\".\"by_code\"; CREATE UNIQUE INDEX");
    } finally {
      proxy.failNone();
    }
  }

  /** Nobody waits for it: the attempt fails, and the task's next one begins with the same step. */
  @Test
  void anIndexAtWhichTheStorageFailsIsMadeByALaterAttemptOfTheLoad() throws SQLException {
    StoredStep index = planned().get(0);
    proxy.failEach("create unique index");
    for (int attempt = 0; attempt < 2; attempt++) {
      try (StepMaker maker =
          StepMaker.open(server, steps(), Stage.TABLE, DataSize.ofMebibytes(64))) {
        assertThatThrownBy(() -> maker.make(index))
            .isInstanceOf(SluiceException.Unexplained.class)
            .hasMessageContaining("unexpected state");
      }
      assertThat(texts("SELECT DISTINCT state FROM " + CONTROL + ".completion_step"))
          .containsExactly("waiting");
    }
    proxy.failNone();
    try (StepMaker maker = StepMaker.open(server, steps(), Stage.TABLE, DataSize.ofMebibytes(64))) {
      assertThat(maker.make(index).state()).isEqualTo(StoredStep.State.DONE);
    }
    assertThat(texts(INDEXES)).containsExactly("by_code|true");
  }

  @Test
  void eachLookAtRowsBeforeTheCutoverIsLimitedAndNotOnlyTheFirst() throws SQLException {
    CompletionStep step = validation(planned()).step();
    CompletionStep endless =
        CompletionStep.of(
            step.table(),
            step.stage(),
            step.place(),
            step.kind(),
            step.name(),
            List.of(
                new DefinitionStatement(
                    YugabyteIndexes.DIALECT, "rows", "", "SELECT pg_sleep(10)::text")));
    assertThat(PlannedValidations.look(server, List.of(endless, endless), Duration.ofMillis(100)))
        .hasSize(2)
        .noneMatch(Seen::known);
  }

  private static StoredStep validation(List<StoredStep> planned) {
    return planned.stream()
        .filter(step -> step.step().kind() == Kind.VALIDATION)
        .findFirst()
        .orElseThrow();
  }

  /** The server makes it beside writers, in several transactions, and keeps what has failed. */
  @Test
  void anIndexThatFailedAndIsInvalidIsMadeAgainOnceItsCauseIsGone() throws SQLException {
    List<StoredStep> planned = planned();
    run("INSERT INTO made.item (code) VALUES ('a'), ('a')");
    try (StepMaker maker = StepMaker.open(server, steps(), Stage.TABLE, DataSize.ofMebibytes(64))) {
      StepMaker.Made failed = maker.make(planned.get(0));
      assertThat(failed.state()).isEqualTo(StoredStep.State.FAILED);
      assertThat(failed.detail()).contains("by_code");
      assertThat(texts(INDEXES)).containsExactly("by_code|false");
      run("DELETE FROM made.item WHERE id = 2");
      assertThat(maker.make(planned.get(0)).state()).isEqualTo(StoredStep.State.DONE);
    }
    assertThat(texts(INDEXES)).containsExactly("by_code|true");
  }

  @Test
  void anIndexWhoseAnswerIsLostIsFoundByTheNextAttempt() throws SQLException {
    List<StoredStep> planned = planned();
    proxy.failOnce("create unique index", Fault.LOST_AFTER_COMMIT);
    try (StepMaker maker = StepMaker.open(server, steps(), Stage.TABLE, DataSize.ofMebibytes(64))) {
      assertThatThrownBy(() -> maker.make(planned.get(0)))
          .isInstanceOf(SluiceException.Retryable.class);
    }
    assertThat(texts(INDEXES)).containsExactly("by_code|true");
    try (StepMaker maker = StepMaker.open(server, steps(), Stage.TABLE, DataSize.ofMebibytes(64))) {
      assertThat(maker.make(planned.get(0)).state()).isEqualTo(StoredStep.State.DONE);
    }
  }

  @Test
  void uniqueIndexesThatTheSourceDoesNotHaveAreInTheWay() throws SQLException {
    make(MARK, false, item());
    MadeTables making = on(MARK, false);
    MadeTable table = making.of(List.of(item())).get(0);
    YugabyteTableMaking tables = new YugabyteTableMaking();
    run("CREATE UNIQUE INDEX same ON made.item (code)", "CREATE INDEX plain ON made.item (note)");
    try (TargetConnection connection = server.connect()) {
      assertThat(tables.indexesInTheWay(connection, table)).isEmpty();
      run("CREATE UNIQUE INDEX gone ON made.item (note)");
      run("CREATE UNIQUE INDEX expression ON made.item (lower(code))");
      assertThat(tables.indexesInTheWay(connection, table)).containsExactly("expression", "gone");
    }
  }

  @Test
  void aTaskThatIsRemovedGivesItsTablesUpAndNoOthers() throws SQLException {
    make(MARK, false, item());
    make(OTHER, false, part());
    assertThat(marked(MARK).giveUp()).isEqualTo(new MarkedTables.GivenUp(true, List.of()));
    assertThat(marked(MARK).giveUp().any()).isFalse();
    assertThat(texts(TABLES))
        .containsExactly("item|", "part|" + OTHER.text() + ", as table made.part");
    assertThat(MarkedTables.anothers(server, guard(MARK, true), List.of(ITEM, PART))).hasSize(1);
  }

  private MarkedTables marked(TaskMark mark) {
    return MarkedTables.on(server, guard(mark, false)).orElseThrow();
  }

  private List<StoredStep> planned() throws SQLException {
    MadeTables making = on(MARK, false);
    List<MadeTable> tables = making.of(List.of(item(), part()));
    making.make(tables, EpochFence.NONE);
    new CheckpointStore(server, CONTROL).create();
    CompletionStepStore steps = steps();
    steps.plan(
        List.of(ITEM, PART), EnumSet.allOf(Kind.class), MadeTables.steps(tables), EpochFence.NONE);
    steps.plan(
        List.of(ITEM),
        EnumSet.of(Kind.FOREIGN_KEY),
        MadeTables.constraints(tables),
        EpochFence.NONE);
    return steps.read();
  }

  private CompletionStepStore steps() {
    return new CompletionStepStore(server, CONTROL, "shop");
  }

  private static TableOutline item() {
    return LoadTestOutlines.item(ITEM, "'new'::character varying");
  }

  private static TableOutline part() {
    return LoadTestOutlines.part(PART, ITEM);
  }

  private static RowGuard guard(TaskMark mark, boolean consent) {
    return new RowGuard(
        table -> false, consent, (connection, tables) -> List.of(), Optional.of(mark));
  }

  private MadeTables on(TaskMark mark, boolean consent) {
    return MadeTables.on(server, guard(mark, consent)).orElseThrow();
  }

  private void make(TaskMark mark, boolean consent, TableOutline... outlines) {
    MadeTables making = on(mark, consent);
    making.make(making.of(List.of(outlines)), EpochFence.NONE);
  }

  private void refused(TaskMark mark, boolean consent, String... words) {
    assertThatThrownBy(() -> make(mark, consent, item()))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContainingAll(words);
  }

  private void run(String... statements) throws SQLException {
    try (Connection session = database.connect();
        Statement statement = session.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private List<String> texts(String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Connection session = database.connect();
        Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        texts.add(row.getString(1));
      }
    }
    return texts;
  }
}
