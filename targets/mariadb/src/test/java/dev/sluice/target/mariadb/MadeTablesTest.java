package dev.sluice.target.mariadb;

import static dev.sluice.load.target.LoadTestOutlines.column;
import static dev.sluice.load.target.LoadTestOutlines.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.load.MadeTables;
import dev.sluice.load.MarkedTables;
import dev.sluice.load.RowGuard;
import dev.sluice.load.StepMaker;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.load.log.StoredStep;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.LoadTestOutlines;
import dev.sluice.load.target.MadeTable;
import dev.sluice.load.target.TableMaking;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables are dropped and created at once, and none goes that is not the task's own. */
class MadeTablesTest {
  private static final TableId ITEM = new TableId("made", "item");
  private static final TableId PART = new TableId("made", "part");
  private static final String CONTROL = "sluice_made";
  private static final TaskMark MARK = new TaskMark("shop", UUID.randomUUID(), "schema x");
  private static final TaskMark OTHER = new TaskMark("shop", UUID.randomUUID(), "schema y");

  private final TargetServer server = MariadbLab.target(kind(), MariadbLab.embedded(kind()).port());

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @BeforeEach
  void create() throws SQLException {
    run("SET foreign_key_checks = 0", "DROP DATABASE IF EXISTS made", "CREATE DATABASE made");
  }

  /** As this server's catalog has them. */
  List<String> madeColumns() {
    return List.of(
        "id|int(11)|NO|PRI|auto_increment",
        "code|varchar(20)|NO|||'new'",
        "note|longtext|YES|||NULL");
  }

  @Test
  void aTableIsMadeWithItsKeyItsCounterAndTheMarkOfItsTask() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    assertThat(
            texts(
                "SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'made'"))
        .containsExactly(MARK.text() + ", as table made.item");
    assertThat(
            texts(
                "SELECT CONCAT_WS('|', COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_KEY, EXTRA,"
                    + " COLUMN_DEFAULT) FROM information_schema.COLUMNS"
                    + " WHERE TABLE_SCHEMA = 'made' ORDER BY ORDINAL_POSITION"))
        .containsExactlyElementsOf(madeColumns());
    assertThat(mayMakeAgain(MARK)).isTrue();
    assertThat(mayMakeAgain(OTHER)).isFalse();
  }

  @Test
  void aTableThatTheTaskDidNotMakeIsDroppedWithConsentOnlyEvenIfItIsEmpty() throws SQLException {
    run("CREATE TABLE made.item (id int)");
    refused(MARK, false, "1 table that this task did not make: made.item", "overwrite-target-rows");
    run("INSERT INTO made.item VALUES (9)");
    refused(MARK, false, "made.item", "overwrite-target-rows: true");
    assertThat(texts("SELECT id FROM made.item")).containsExactly("9");
    make(MARK, true, EpochFence.NONE, item());
    assertThat(texts("SELECT id FROM made.item")).isEmpty();
  }

  @Test
  void aTableOfAnotherTaskIsNeverDroppedAlsoWithConsent() throws SQLException {
    make(OTHER, false, EpochFence.NONE, item());
    run("INSERT INTO made.item (id, code) VALUES (1, 'x')");
    refused(MARK, true, "was made by another task", OTHER.id().toString(), "COMMENT = ''");
    assertThat(texts("SELECT id FROM made.item")).containsExactly("1");
    run("ALTER TABLE made.item COMMENT = ''");
    refused(MARK, false, "did not make");
    make(MARK, true, EpochFence.NONE, item());
  }

  /** As by somebody who keeps a copy, or gives it the table's name. */
  @Test
  void aTableThatIsMadeLikeOneOfTheTaskIsNotItsOwn() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    run(
        "CREATE TABLE made.part LIKE made.item",
        "INSERT INTO made.part (id, code) VALUES (1, 'kept')");
    refused(MARK, false, part(), "did not make: made.part");
    assertThat(texts("SELECT code FROM made.part")).containsExactly("kept");
  }

  @Test
  void rowsThatTheTaskHasNotLoadedKeepItsTable() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    make(MARK, false, EpochFence.NONE, item());
    run("INSERT INTO made.item (id, code) VALUES (1, 'of the applications')");
    refused(MARK, false, "with rows that this task has not loaded: made.item");
    assertThat(texts("SELECT id FROM made.item")).containsExactly("1");
    on(MARK, false).make(List.of(), EpochFence.NONE);
    MadeTables own = MadeTables.on(server, guard(MARK, false).owningAll()).orElseThrow();
    own.make(own.of(List.of(item())), EpochFence.NONE);
    assertThat(texts("SELECT id FROM made.item")).isEmpty();
  }

  @Test
  void aSupersededDaemonDropsNothing() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    EpochFence superseded =
        connection -> {
          throw new SluiceException.Fenced("superseded");
        };
    assertThatThrownBy(() -> make(MARK, false, superseded, item()))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(texts("SELECT COUNT(*) FROM made.item")).containsExactly("0");
  }

  /** Who is locked out meanwhile finds the table gone, and has put no row into it. */
  @Test
  void nobodyWritesBetweenTheLookAndTheDrop() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    TableMaking making = LoadDialects.of(server.dialect()).making().orElseThrow();
    CompletableFuture<?>[] writer = new CompletableFuture<?>[1];
    try (TargetConnection connection = server.connect()) {
      making.drop(
          connection,
          ITEM,
          (found, filled) -> {
            assertThat(filled).isFalse();
            writer[0] =
                CompletableFuture.runAsync(
                    () -> {
                      try {
                        run("INSERT INTO made.item (id, code) VALUES (1, 'late')");
                      } catch (SQLException e) {
                        throw new CompletionException(e);
                      }
                    });
            while (!writer[0].isDone() && !isSomeoneWaiting()) {
              Thread.onSpinWait();
            }
          });
    }
    assertThatThrownBy(() -> writer[0].join()).hasStackTraceContaining("doesn't exist");
  }

  @Test
  void aRefusedDropLeavesTheTableFree() throws SQLException {
    make(OTHER, false, EpochFence.NONE, item());
    TableMaking making = LoadDialects.of(server.dialect()).making().orElseThrow();
    try (TargetConnection connection = server.connect()) {
      assertThatThrownBy(
              () ->
                  making.drop(
                      connection,
                      ITEM,
                      (found, filled) -> {
                        throw new SluiceException.Fenced("not now");
                      }))
          .isInstanceOf(SluiceException.Fenced.class);
      run("INSERT INTO made.item (id, code) VALUES (1, 'x')");
    }
  }

  @Test
  void aTriggerThatSomebodyGaveATableOfTheTaskKeepsIt() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    run("CREATE TRIGGER made.watch BEFORE DELETE ON made.item FOR EACH ROW SET @gone = OLD.id");
    refused(MARK, false, "made.item: has trigger watch", "SHOW CREATE TRIGGER");
    assertThat(on(MARK, false).problems(List.of(ITEM)).toString())
        .doesNotContain("overwrite-target-rows");
    make(MARK, true, EpochFence.NONE, item());
  }

  /** The consent is there for a load into what others have filled. */
  @Test
  void consentCoversNoTriggerWhereOnlyTheTasksOwnTablesAreDropped() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    run(
        "INSERT INTO made.item (id, code) VALUES (1, 'x')",
        "CREATE TRIGGER made.watch BEFORE DELETE ON made.item FOR EACH ROW SET @gone = OLD.id");
    assertThat(again(true).problems(List.of(ITEM)).toString()).contains("has trigger watch");
    assertThatThrownBy(() -> again(true).make(again(true).of(List.of(item())), EpochFence.NONE))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("has trigger watch");
    assertThatThrownBy(() -> on(MARK, true).dropOwn(List.of(ITEM), EpochFence.NONE))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("has trigger watch");
    assertThat(
            texts(
                "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS"
                    + " WHERE EVENT_OBJECT_SCHEMA = 'made'"))
        .containsExactly("watch");
    run("DROP TRIGGER made.watch");
    on(MARK, true).dropOwn(List.of(ITEM), EpochFence.NONE);
    assertThat(on(MARK, true).own(on(MARK, true).of(List.of(item())))).isEmpty();
  }

  @Test
  void consentCoversNoTableThatCameInThePlaceOfOneThatIsMadeAgain() throws SQLException {
    run("CREATE TABLE made.item (id int)", "INSERT INTO made.item VALUES (9)");
    assertThatThrownBy(() -> again(true).make(again(true).of(List.of(item())), EpochFence.NONE))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("made.item: was not made by this task")
        .hasMessageNotContaining("overwrite-target-rows");
    assertThat(texts("SELECT id FROM made.item")).containsExactly("9");
  }

  /** The exchange is ahead of the drop, which has seen the mark before it waits. */
  @Test
  void consentCoversNoTableThatTakesThePlaceOfOneThatIsLeftBehind() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    run("CREATE TABLE made.other (id int)", "INSERT INTO made.other VALUES (9)");
    try (Connection reader = readerOf("made.item")) {
      CompletableFuture<?> exchanged =
          inBackground(() -> run("RENAME TABLE made.item TO made.kept, made.other TO made.item"));
      awaitWaiting(1, exchanged);
      CompletableFuture<?> dropped =
          inBackground(() -> on(MARK, true).dropOwn(List.of(ITEM), EpochFence.NONE));
      awaitWaiting(2, dropped);
      reader.rollback();
      exchanged.join();
      assertThatThrownBy(dropped::join)
          .hasCauseInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("was not made by this task");
    }
    assertThat(texts("SELECT id FROM made.item")).containsExactly("9");
    assertThat(texts("SELECT COUNT(*) FROM made.kept")).containsExactly("0");
  }

  private interface Work {
    void run() throws SQLException;
  }

  private static CompletableFuture<?> inBackground(Work work) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            work.run();
          } catch (SQLException e) {
            throw new CompletionException(e);
          }
        },
        task -> new Thread(task).start());
  }

  private void awaitWaiting(int sessions, CompletableFuture<?> last) throws SQLException {
    while (!last.isDone() && waiting() < sessions) {
      Thread.onSpinWait();
    }
  }

  /** As one that came after the look, or that this user may not see. */
  @Test
  void aReferenceThatOnlyTheServerSeesKeepsTheTable() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    run("CREATE TABLE made.outside (id int REFERENCES made.item (id))");
    TableMaking making = LoadDialects.of(server.dialect()).making().orElseThrow();
    try (TargetConnection connection = server.connect()) {
      assertThatThrownBy(() -> making.drop(connection, ITEM, (found, filled) -> {}))
          .isInstanceOfSatisfying(
              SQLException.class, error -> assertThat(making.isReferenced(error)).isTrue());
    }
    assertThat(texts("SELECT COUNT(*) FROM made.item")).containsExactly("0");
  }

  @Test
  void whatOthersReferenceOrIsNoTableIsNeverDropped() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    run("CREATE TABLE made.outside (id int REFERENCES made.item (id))");
    refused(MARK, true, "is referenced by foreign keys of [made.outside]");
    run(
        "DROP TABLE made.outside",
        "DROP TABLE made.item",
        "CREATE VIEW made.item AS SELECT 1 AS id");
    refused(MARK, true, "is a VIEW");
  }

  @Test
  void tablesThatReferenceEachOtherGoInTheirOrder() throws SQLException {
    make(MARK, false, EpochFence.NONE, item(), part());
    run("ALTER TABLE made.part ADD FOREIGN KEY (item) REFERENCES made.item (id)");
    make(MARK, false, EpochFence.NONE, item(), part());
    assertThat(
            texts(
                "SELECT TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'made'"))
        .isEmpty();
  }

  /** A kill leaves a table dropped, or made and empty; both are understood without consent. */
  @Test
  void anAttemptAfterAKillGoesOnWhereverItWas() throws SQLException {
    make(MARK, false, EpochFence.NONE, item(), part());
    run("DROP TABLE made.part");
    make(MARK, false, EpochFence.NONE, item(), part());
    assertThat(
            texts(
                "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'made' ORDER BY 1"))
        .containsExactly("item", "part");
  }

  @Test
  void onlyTheTasksOwnAreDroppedOfWhatIsLeftBehind() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    run("CREATE TABLE made.part (id int)");
    on(MARK, true).dropOwn(List.of(ITEM, PART), EpochFence.NONE);
    assertThat(
            texts("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'made'"))
        .containsExactly("part");
  }

  /** The session's database is the one that is written to. */
  @Test
  void aTaskThatIsRemovedGivesItsTablesUpAndNoOthers() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    make(OTHER, false, EpochFence.NONE, part());
    run("CREATE TABLE made.copy LIKE made.item");
    assertThat(inMade(MARK).giveUp().any()).isTrue();
    assertThat(inMade(MARK).giveUp().any()).isFalse();
    assertThat(
            texts(
                "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'made'"
                    + " AND TABLE_COMMENT <> '' ORDER BY 1"))
        .containsExactly("copy", "part");
    refused(MARK, false, "did not make: made.item");
  }

  /** Whoever comes after a statement that waits for a table waits as well. */
  @Test
  void aTableThatIsInUseKeepsTheMarkAndTheOthersLoseIt() throws SQLException {
    make(MARK, false, EpochFence.NONE, item(), part());
    try (Connection reader = readerOf("made.item")) {
      MarkedTables.GivenUp given = inMade(MARK).giveUp();
      assertThat(given.any()).isTrue();
      assertThat(given.left())
          .singleElement()
          .asString()
          .startsWith("ALTER TABLE `made`.`item` COMMENT = '' (Lock wait timeout exceeded");
      reader.rollback();
    }
    assertThat(inMade(MARK).giveUp()).isEqualTo(new MarkedTables.GivenUp(true, List.of()));
  }

  /** As after an import that failed. A task that is removed must come to its end. */
  @Test
  void aTableThatTheServerDoesNotAlterKeepsTheMarkAndIsNamed() throws SQLException {
    TableMaking making = LoadDialects.of(server.dialect()).making().orElseThrow();
    run("CREATE VIEW made.item AS SELECT 1 AS id");
    try (TargetConnection connection = server.connect()) {
      assertThat(making.removeComment(connection, ITEM).orElseThrow()).contains("BASE TABLE");
      assertThat(making.removeComment(connection, PART)).as("it is gone").isEmpty();
      try (Statement statement = connection.jdbc().createStatement();
          ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
        row.next();
        run("KILL " + row.getString(1));
      }
      assertThatThrownBy(() -> making.removeComment(connection, ITEM))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void tablesOfAnotherTaskAreNamedAndNoOthers() throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    make(OTHER, false, EpochFence.NONE, part());
    run("CREATE TABLE made.third (id int)");
    assertThat(
            MarkedTables.anothers(
                serverInMade(),
                guard(MARK, true),
                List.of(ITEM, PART, new TableId("made", "third"))))
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("made.part", "was made by another task", OTHER.id().toString());
  }

  /** As on a server that does not tell cases apart, whose catalog has another name. */
  @Test
  void aNameThatIsTakenUnseenIsNotTriedForEver() throws SQLException {
    TableMaking making = LoadDialects.of(server.dialect()).making().orElseThrow();
    run("CREATE TABLE made.item (id int)");
    try (TargetConnection connection = server.connect()) {
      MadeTable table = making.of(List.of(item())).get(0);
      assertThatThrownBy(() -> making.create(connection, table, "x"))
          .isInstanceOfSatisfying(
              SQLException.class, error -> assertThat(making.isThere(error)).isTrue());
    }
  }

  @Test
  void theServersObjectionsAreNamedTogetherAndNothingStays() throws SQLException {
    MadeTables making = on(MARK, false);
    List<MadeTable> tables =
        making.of(
            List.of(
                table(ITEM, column("id", "integer", true), column("ID", "integer", false)),
                table(PART, column("id", "text", true))));
    assertThat(making.objections(tables).stream().map(Problem::toString))
        .hasSize(2)
        .anyMatch(problem -> problem.contains("made.item") && problem.contains("Duplicate column"))
        .anyMatch(problem -> problem.contains("made.part") && problem.contains("varchar(n)"));
    assertThat(
            texts("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'made'"))
        .isEmpty();
  }

  @Test
  void indexesAndForeignKeysAreMadeOnceAlsoIfTheirRecordWasLost() throws SQLException {
    MadeTables making = on(MARK, false);
    List<MadeTable> tables = making.of(List.of(item(), part()));
    making.make(tables, EpochFence.NONE);
    CompletionStepStore steps = steps();
    steps.plan(
        List.of(ITEM, PART), EnumSet.allOf(Kind.class), MadeTables.steps(tables), EpochFence.NONE);
    steps.plan(
        List.of(ITEM),
        EnumSet.of(Kind.FOREIGN_KEY),
        MadeTables.constraints(tables),
        EpochFence.NONE);
    List<StoredStep> planned = steps.read();
    try (StepMaker maker = maker(steps, Stage.CONSTRAINTS)) {
      for (StoredStep step : planned) {
        assertThat(maker.make(step).state()).as(step.thing()).isEqualTo(StoredStep.State.DONE);
      }
      // As after a kill between the statement and its record.
      run("UPDATE " + CONTROL + ".completion_step SET state = 'waiting'");
      for (StoredStep step : planned) {
        assertThat(maker.make(step).state()).isEqualTo(StoredStep.State.DONE);
      }
    }
    assertThat(
            texts(
                "SELECT CONCAT_WS('|', TABLE_NAME, INDEX_NAME, NON_UNIQUE) FROM information_schema.STATISTICS"
                    + " WHERE TABLE_SCHEMA = 'made' AND INDEX_NAME <> 'PRIMARY' ORDER BY 1"))
        .containsExactly("item|by_code|0", "item|by_note|1", "part|part_item_fkey|1");
    assertThat(
            texts(
                "SELECT DELETE_RULE FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'made'"))
        .containsExactly("CASCADE");
  }

  @Test
  void indexesThatTheSourceDoesNotHaveAreInTheWayWhereTheyRefuseRowsOrTakeNames()
      throws SQLException {
    make(MARK, false, EpochFence.NONE, item());
    run("ALTER TABLE made.item ADD UNIQUE KEY by_code (code), ADD KEY by_note (note(255))");
    run("ALTER TABLE made.item ADD KEY of_a_user (code, id), ADD UNIQUE KEY twice (code)");
    assertThat(indexesInTheWay()).isEmpty();
    run("ALTER TABLE made.item ADD UNIQUE KEY gone (id, code)");
    assertThat(indexesInTheWay()).containsExactly("gone");
    run("ALTER TABLE made.item DROP KEY gone, DROP KEY by_note, ADD KEY BY_NOTE (code)");
    assertThat(indexesInTheWay()).containsExactly("BY_NOTE");
    run("ALTER TABLE made.item DROP KEY by_note, DROP KEY by_code, ADD KEY by_code (code)");
    assertThat(indexesInTheWay()).containsExactly("by_code");
  }

  private List<String> indexesInTheWay() throws SQLException {
    TableMaking making = LoadDialects.of(server.dialect()).making().orElseThrow();
    try (TargetConnection connection = server.connect()) {
      return making.indexesInTheWay(connection, making.of(List.of(item())).get(0));
    }
  }

  /** Applications would wait while the server copies a table to look at its rows. */
  @Test
  void aForeignKeyIsMadeForNewRowsAndThenTheOthersAreNamedByTheirKeys() throws SQLException {
    MadeTables making = on(MARK, false);
    List<MadeTable> tables = making.of(List.of(item(), part()));
    making.make(tables, EpochFence.NONE);
    run("INSERT INTO made.item (id, code) VALUES (5, 'a')");
    run("INSERT INTO made.part VALUES (1, 77), (2, 5), (3, 78)");
    CompletionStepStore steps = steps();
    steps.plan(
        List.of(PART), EnumSet.allOf(Kind.class), MadeTables.constraints(tables), EpochFence.NONE);
    try (StepMaker maker = maker(steps, Stage.CONSTRAINTS)) {
      assertThat(maker.make(steps.read().get(0)).state()).isEqualTo(StoredStep.State.DONE);
      assertThatThrownBy(
              () -> run("SET foreign_key_checks = 1", "INSERT INTO made.part VALUES (4, 79)"))
          .hasMessageContaining("foreign key constraint fails");
      StepMaker.Made looked = maker.make(steps.read().get(1));
      assertThat(looked.state()).isEqualTo(StoredStep.State.FAILED);
      assertThat(looked.detail())
          .contains("rows of made.part have no row in made.item, such as those with id (1), (3)");
      run("SET foreign_key_checks = 0", "DELETE FROM made.part WHERE item > 70");
      assertThat(maker.make(steps.read().get(1)).state()).isEqualTo(StoredStep.State.DONE);
    }
  }

  /** Whoever comes after a statement that waits for a table waits as well. */
  @Test
  void aForeignKeyLetsOthersPassWhileATableIsInUseAndIsMadeLater() throws SQLException {
    MadeTables making = on(MARK, false);
    List<MadeTable> tables = making.of(List.of(item(), part()));
    making.make(tables, EpochFence.NONE);
    CompletionStepStore steps = steps();
    steps.plan(
        List.of(PART), EnumSet.allOf(Kind.class), MadeTables.constraints(tables), EpochFence.NONE);
    StoredStep planned = steps.read().get(0);
    try (StepMaker maker = maker(steps, Stage.CONSTRAINTS);
        Connection reader = readerOf("made.part")) {
      CompletableFuture<?> made = makeUntilItWaits(maker, planned);
      // It fails if the step in front of it waits for longer.
      run("SET SESSION lock_wait_timeout = 20", "INSERT INTO made.part VALUES (1, NULL)");
      assertThatThrownBy(made::join).hasCauseInstanceOf(SluiceException.Retryable.class);
      reader.rollback();
      assertThat(maker.make(planned).state()).isEqualTo(StoredStep.State.DONE);
    }
  }

  /** An end of its wait would be the end of the whole attempt. */
  @Test
  void anIndexWaitsForAReaderForLongerThanAForeignKeyWould() throws SQLException {
    MadeTables making = on(MARK, false);
    List<MadeTable> tables = making.of(List.of(item()));
    making.make(tables, EpochFence.NONE);
    CompletionStepStore steps = steps();
    steps.plan(List.of(ITEM), EnumSet.allOf(Kind.class), MadeTables.steps(tables), EpochFence.NONE);
    try (StepMaker maker = maker(steps, Stage.TABLE);
        Connection reader = readerOf("made.item")) {
      CompletableFuture<StepMaker.Made> made = makeUntilItWaits(maker, steps.read().get(0));
      assertThatThrownBy(
              () ->
                  run(
                      "SET SESSION lock_wait_timeout = 4",
                      "INSERT INTO made.item (code) VALUES ('behind it')"))
          .hasMessageContaining("Lock wait timeout exceeded");
      reader.rollback();
      assertThat(made.join().state()).isEqualTo(StoredStep.State.DONE);
    }
  }

  private StepMaker maker(CompletionStepStore steps, Stage stage) {
    return StepMaker.open(server, steps, stage, DataSize.ofMebibytes(64));
  }

  /** With an open transaction that has read the table. */
  private Connection readerOf(String table) throws SQLException {
    Connection reader = MariadbLab.embedded(kind()).connect();
    reader.setAutoCommit(false);
    try (Statement statement = reader.createStatement()) {
      statement.executeQuery("SELECT * FROM " + table).close();
    }
    return reader;
  }

  private CompletableFuture<StepMaker.Made> makeUntilItWaits(StepMaker maker, StoredStep step)
      throws SQLException {
    CompletableFuture<StepMaker.Made> made =
        CompletableFuture.supplyAsync(() -> maker.make(step), task -> new Thread(task).start());
    awaitWaiting(1, made);
    return made;
  }

  /** The statement has ended the transaction that held the step's record. */
  @Test
  void aStepThatASuccessorHasPlannedAgainIsNotRecordedAsDone() throws SQLException {
    MadeTables making = on(MARK, false);
    List<MadeTable> tables = making.of(List.of(item()));
    making.make(tables, EpochFence.NONE);
    CompletionStepStore steps = steps();
    steps.plan(List.of(ITEM), EnumSet.allOf(Kind.class), MadeTables.steps(tables), EpochFence.NONE);
    StoredStep planned = steps.read().get(0);
    try (StepMaker maker = maker(steps, Stage.TABLE);
        Connection reader = readerOf("made.item")) {
      CompletableFuture<?> made = makeUntilItWaits(maker, planned);
      List<MadeTable> altered = making.of(List.of(part()));
      steps.plan(
          List.of(ITEM),
          EnumSet.allOf(Kind.class),
          MadeTables.constraints(altered),
          EpochFence.NONE);
      reader.rollback();
      assertThatThrownBy(made::join).hasCauseInstanceOf(SluiceException.Retryable.class);
    }
    assertThat(steps.read()).extracting(StoredStep::state).doesNotContain(StoredStep.State.DONE);
  }

  private CompletionStepStore steps() throws SQLException {
    run("DROP DATABASE IF EXISTS " + CONTROL);
    new CheckpointStore(server, CONTROL).create();
    return new CompletionStepStore(server, CONTROL, "task");
  }

  private static RowGuard guard(TaskMark mark, boolean consent) {
    return new RowGuard(
        table -> false, consent, (connection, tables) -> List.of(), Optional.of(mark));
  }

  private MarkedTables inMade(TaskMark mark) {
    return MarkedTables.on(serverInMade(), guard(mark, false)).orElseThrow();
  }

  private TargetServer serverInMade() {
    return new TargetServer(
        server.dialect(),
        new TargetLogin(
            "jdbc:mariadb://127.0.0.1:" + MariadbLab.embedded(kind()).port() + "/made",
            "root",
            null,
            "test",
            50));
  }

  private MadeTables on(TaskMark mark, boolean consent) {
    return MadeTables.on(server, guard(mark, consent)).orElseThrow();
  }

  private MadeTables again(boolean consent) {
    return MadeTables.again(server, guard(MARK, consent)).orElseThrow();
  }

  private boolean mayMakeAgain(TaskMark mark) {
    return on(mark, false).mayMakeAgain(ITEM);
  }

  private void make(TaskMark mark, boolean consent, EpochFence fence, TableOutline... tables) {
    MadeTables making = on(mark, consent);
    making.make(making.of(List.of(tables)), fence);
  }

  private void refused(TaskMark mark, boolean consent, String... words) {
    refused(mark, consent, item(), words);
  }

  /** Both the question before and the drop itself refuse. */
  private void refused(TaskMark mark, boolean consent, TableOutline table, String... words) {
    assertThat(on(mark, consent).problems(List.of(table.table())))
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains(words);
    assertThatThrownBy(() -> make(mark, consent, EpochFence.NONE, table))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContainingAll(words);
  }

  private static TableOutline item() {
    return LoadTestOutlines.item(ITEM, "'new'::text");
  }

  private static TableOutline part() {
    return LoadTestOutlines.part(PART, ITEM);
  }

  private boolean isSomeoneWaiting() throws SQLException {
    return waiting() > 0;
  }

  private int waiting() throws SQLException {
    return texts(
            "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE = 'Waiting for table metadata lock'")
        .size();
  }

  private void run(String... statements) throws SQLException {
    try (Connection session = MariadbLab.embedded(kind()).connect();
        Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private List<String> texts(String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Connection session = MariadbLab.embedded(kind()).connect();
        Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        texts.add(row.getString(1));
      }
    }
    return texts;
  }
}
