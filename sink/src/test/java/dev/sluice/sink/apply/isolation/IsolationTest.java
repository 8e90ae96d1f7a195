package dev.sluice.sink.apply.isolation;

import static dev.sluice.sink.apply.TargetLab.COMMIT;
import static dev.sluice.sink.apply.TargetLab.STOPPING;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static dev.sluice.sink.apply.TargetLab.toasted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ControlTablesSettings;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.embedded.postgres.Relay;
import dev.sluice.embedded.postgres.Relay.Harm;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.TableErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Isolation of changes that the target rejects. */
class IsolationTest {
  private static final RowSchema ITEM = schema("item", "*id int", "name text");
  private static final RowSchema OTHER = schema("other", "*id int");
  private static final TableId ITEMS = ITEM.table();
  private static final TaskSettings LOGGING = all(ErrorAction.LOG_ERROR, ErrorAction.SUSPEND_TABLE);

  private static final String WAITING =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
          + " AND wait_event_type = 'Lock'";

  private TargetLab lab;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY, name varchar(10) CHECK (name <> 'bad'))",
        "CREATE TABLE dst.other (id int PRIMARY KEY)");
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  @Test
  void onlyFailingChangesAreRejectedAndListed() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (1, 'one'), (5, 'foreign'), (6, 'six')");
    ClosedWindow window =
        lab.windowOf(
            List.of(
                List.of(insert("4", "four"), insert("5", "five")),
                List.of(update("7", "seven"), update("1", "uno")),
                List.of(delete("8"), delete("6"), insert("9", "nine"))));

    AppliedWindow applied = apply(LOGGING, window);

    assertThat(items()).containsExactly("1|uno", "4|four", "5|foreign", "9|nine");
    assertThat(
            lab.rows(
                "SELECT kind, action, operation, key, row_data, position, change_number, sqlstate,"
                    + " task_name, table_owner, table_name, statement"
                    + " FROM sluice_control.sluice_apply_exceptions ORDER BY id"))
        .containsExactly(
            "INSERT|LOG_ERROR|INSERT|{\"id\" : \"5\"}|{\"id\" : \"5\", \"name\" : \"five\"}|0/110|2|23505|task|dst|item|INSERT on dst.item (id=5)",
            "UPDATE|LOG_ERROR|UPDATE|{\"id\" : \"7\"}|{\"id\" : \"7\", \"name\" : \"seven\"}|0/120|1||task|dst|item|UPDATE on dst.item (id=7)",
            "DELETE|LOG_ERROR|DELETE|{\"id\" : \"8\"}|null|0/130|1||task|dst|item|DELETE on dst.item (id=8)");
    assertThat(exceptions("error").get(0)).contains("\"item_pkey\"", "(id)=(5)");
    assertThat(exceptions("error").get(1)).contains("(id=7) matches 0 rows");
    assertThat(applied.tables()).containsEntry(ITEMS, new TableCounters(2, 1, 1, 0));
    assertErrors(applied, 3, 0);
    assertThat(applied.captured().orElseThrow().tables())
        .containsEntry(ITEMS, new TableCounters(3, 2, 2, 0));
    assertThat(lab.store().read("task").orElseThrow().position()).isEqualTo(window.position());
  }

  @Test
  void rejectedValuesAreHandledByThePolicyOfTheirKind() throws SQLException {
    lab.run("ALTER TABLE dst.other ADD COLUMN must text NOT NULL");
    TaskSettings policies =
        TaskSettings.DEFAULTS
            .with(ErrorBehavior.DATA_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.DATA_TRUNCATION_ERROR_POLICY, ErrorAction.IGNORE_RECORD);
    RowSchema wide = schema("item", "*id text", "name text");
    apply(
        policies,
        lab.windowOf(
            List.of(
                List.of(
                    insert("1", "bad"),
                    insert("2", "much too long"),
                    new RowChange(OTHER, null, row("3")),
                    new RowChange(wide, null, row("four", "x")),
                    insert("5", "five")))));

    assertThat(items()).containsExactly("5|five");
    assertThat(exceptions("kind || ' ' || action || ' ' || sqlstate"))
        .containsExactly(
            "DATA LOG_ERROR 23514",
            "TRUNCATION IGNORE_RECORD 22001",
            "DATA LOG_ERROR 23502",
            "DATA LOG_ERROR 22P02");
  }

  @Test
  void insertRecordAndUpdateRecordMakeTheRowEqualToTheSource() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (1, 'foreign')");
    AppliedWindow applied =
        apply(
            upserting(),
            lab.windowOf(
                List.of(
                    List.of(
                        insert("1", "one"),
                        update("2", "two"),
                        new RowChange(ITEM, row("3"), toasted("3", "~")),
                        new RowChange(ITEM, row("4"), row("5", "moved")),
                        delete("6")))));

    assertThat(items()).containsExactly("1|one", "2|two", "5|moved");
    assertThat(exceptions("action || ' ' || (key ->> 'id')"))
        .containsExactly("LOG_ERROR 3", "IGNORE_RECORD 6");
    assertErrors(applied, 2, 3);
  }

  @Test
  void aMissingTableIsSuspendedWithTheOffsetOfItsFirstMissingChange() throws SQLException {
    RowSchema gone = schema("gone", "*id int");
    apply(LOGGING, lab.windowOf(List.of(List.of(insert("1", "one")))));
    Position before = lab.position();
    try (BatchApplier applier = lab.applier(LOGGING)) {
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(insert("2", "two")),
                  List.of(insert("3", "three"), new RowChange(gone, null, row("1"))),
                  List.of(new RowChange(gone, null, row("2")), insert("4", "four")))));
      assertThat(applier.suspended()).hasSize(1);
      SuspendedTable table = applier.suspended().get(0);
      assertThat(table.table()).isEqualTo(gone.table());
      assertThat(table.reason()).contains("dst.gone", "does not exist");
      assertThat(table.applied().position()).isEqualTo(new Position(before.low() + 0x10));
      assertThat(table.applied().nextOffset()).isEqualTo(before.low() + 0x10);
      assertThat(table.firstMissing()).isEqualTo(new Position(before.low() + 0x20));
    }
    assertThat(items()).containsExactly("1|one", "2|two", "3|three", "4|four");
    assertThat(exceptions("source_table || ' ' || action")).containsExactly("gone SUSPEND_TABLE");

    lab.run("CREATE TABLE dst.gone (id int PRIMARY KEY)");
    try (BatchApplier restarted = lab.applier(LOGGING)) {
      assertThat(restarted.suspended()).hasSize(1);
      AppliedWindow applied =
          restarted.apply(
              lab.windowOf(List.of(List.of(new RowChange(gone, null, row("3")), delete("4")))));
      assertThat(applied.errors()).containsEntry(gone.table(), new TableErrors(0, 0, 1));
    }
    assertThat(items()).hasSize(3);
    assertThat(lab.rows("SELECT * FROM dst.gone")).isEmpty();
  }

  @Test
  void aReloadThatIsRequestedBetweenTwoPassesOfAWindowIsKept() throws SQLException {
    RowSchema gone = schema("gone", "*id int");
    Checkpoint claimed = lab.store().claim("task");
    SuspensionStore commands = lab.suspensions(claimed);
    List<CompletableFuture<Void>> request = new ArrayList<>();
    lab.onNextReplay(
        () -> {
          request.add(CompletableFuture.runAsync(() -> commands.reload(List.of(gone.table()))));
          await()
              .atMost(Duration.ofMinutes(5))
              .until(() -> lab.rows(WAITING).equals(List.of("1")) || request.get(0).isDone());
        });
    try (BatchApplier applier = lab.applier(lab.server(), claimed, new ApplySettings(LOGGING))) {
      applier.apply(
          lab.windowOf(List.of(List.of(insert("1", "one"), new RowChange(gone, null, row("1"))))));
      request.get(0).join();
    }
    assertThat(items()).containsExactly("1|one");
    assertThat(commands.read())
        .singleElement()
        .extracting(SuspendedTable::state)
        .isEqualTo(SuspensionState.RELOADING);
  }

  @Test
  void noChangeOfTheSuspendingTransactionIsAppliedToTheTable() throws SQLException {
    try (BatchApplier applier =
        lab.applier(all(ErrorAction.SUSPEND_TABLE, ErrorAction.SUSPEND_TABLE))) {
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(insert("1", "one")),
                  List.of(
                      insert("2", "two"),
                      new RowChange(OTHER, null, row("2")),
                      update("7", "missing"),
                      insert("3", "three")),
                  List.of(insert("4", "four"), new RowChange(OTHER, null, row("4"))))));
    }
    assertThat(items()).containsExactly("1|one");
    assertThat(lab.rows("SELECT * FROM dst.other ORDER BY 1")).containsExactly("2", "4");
    assertThat(exceptions("action || ' ' || (key ->> 'id')")).containsExactly("SUSPEND_TABLE 7");
  }

  @Test
  void aTableIsSuspendedWhenItsErrorsReachTheLimitAcrossWindowsAndRestarts() throws SQLException {
    TaskSettings policies =
        all(ErrorAction.LOG_ERROR, ErrorAction.SUSPEND_TABLE)
            .with(ErrorBehavior.APPLY_ERROR_ESCALATION_POLICY, ErrorAction.SUSPEND_TABLE)
            .with(ErrorBehavior.APPLY_ERROR_ESCALATION_COUNT, 3);
    apply(policies, lab.windowOf(List.of(List.of(delete("1")), List.of(delete("2")))));
    apply(
        policies,
        lab.windowOf(
            List.of(
                List.of(insert("3", "three")), List.of(delete("4")), List.of(insert("5", "x")))));
    assertThat(items()).containsExactly("3|three");
    assertThat(exceptions("action")).containsExactly("LOG_ERROR", "LOG_ERROR", "SUSPEND_TABLE");
  }

  @Test
  void anEscalationToStopAppliesNothingOfTheWindow() throws SQLException {
    TaskSettings policies =
        all(ErrorAction.IGNORE_RECORD, ErrorAction.SUSPEND_TABLE)
            .with(ErrorBehavior.APPLY_ERROR_ESCALATION_POLICY, ErrorAction.STOP_TASK)
            .with(ErrorBehavior.APPLY_ERROR_ESCALATION_COUNT, 2);
    ClosedWindow window =
        lab.windowOf(List.of(List.of(insert("1", "x"), delete("2"), delete("3"))));
    assertThatThrownBy(() -> apply(policies, window))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("(id=3)")
        .hasMessageContaining("ApplyErrorEscalationPolicy");
    assertThat(items()).isEmpty();
    assertThat(exceptions("action")).isEmpty();
  }

  @Test
  void byDefaultTheFirstErrorStopsTheTaskAndNamesTheChange() throws SQLException {
    ClosedWindow window = lab.windowOf(List.of(List.of(insert("1", "x")), List.of(delete("2"))));
    assertThatThrownBy(() -> apply(STOPPING, window))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("DELETE on dst.item (id=2)")
        .hasMessageContaining("0/120")
        .hasMessageContaining("ApplyErrorDeletePolicy");
    assertThat(items()).isEmpty();
    assertThat(exceptions("action")).isEmpty();
  }

  @Test
  void onlyTheChangeThatViolatesADeferrableConstraintIsRejected() throws SQLException {
    lab.run(
        "CREATE TABLE dst.slot (id int PRIMARY KEY, place int UNIQUE DEFERRABLE INITIALLY"
            + " DEFERRED)",
        "INSERT INTO dst.slot VALUES (1, 10), (2, 20), (9, 90)");
    RowSchema slot = schema("slot", "*id int", "place int");
    apply(
        LOGGING,
        lab.windowOf(
            List.of(
                // A swap that violates the constraint in between, as deferrable constraints allow.
                List.of(
                    new RowChange(slot, row("1"), row("1", "20")),
                    new RowChange(slot, row("2"), row("2", "10"))),
                // 90 exists on the target only.
                List.of(
                    new RowChange(slot, null, row("3", "30")),
                    new RowChange(slot, null, row("4", "90")),
                    new RowChange(slot, row("3"), row("3", "40"))))));
    assertThat(lab.rows("SELECT id, place FROM dst.slot ORDER BY id"))
        .containsExactly("1|20", "2|10", "3|40", "9|90");
    assertThat(exceptions("kind || ' ' || (row_data ->> 'id') || ' ' || error"))
        .singleElement()
        .asString()
        .startsWith("INSERT 4 the row breaks the deferrable constraint slot_place_key");
  }

  @Test
  void manyViolationsOfADeferrableConstraintAreFoundInOnePass() throws SQLException {
    lab.run(
        "CREATE TABLE dst.slot (id int PRIMARY KEY, place int UNIQUE DEFERRABLE INITIALLY"
            + " DEFERRED)",
        "INSERT INTO dst.slot VALUES (1, 1000)");
    RowSchema slot = schema("slot", "*id int", "place int");
    List<ChangeEvent> changes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      changes.add(new RowChange(slot, null, row("" + (100 + i), "" + i)));
    }
    for (int i = 0; i < 100; i++) {
      changes.add(new RowChange(slot, null, row("" + (200 + i), "" + i)));
    }
    // Also one that conflicts with a row of the target, and three with the same value.
    changes.add(new RowChange(slot, null, row("300", "1000")));
    for (int id = 301; id < 304; id++) {
      changes.add(new RowChange(slot, null, row("" + id, "500")));
    }
    apply(LOGGING, lab.windowOf(List.of(changes)));
    assertThat(lab.rows("SELECT count(*), min(id), max(id) FROM dst.slot"))
        .containsExactly("102|1|301");
    assertThat(exceptions("key ->> 'id'"))
        .hasSize(103)
        .startsWith("200", "201")
        .endsWith("300", "302", "303");
    assertThat(lab.replays()).isEqualTo(2);
  }

  @Test
  void aRowChangedTwiceInOneRoundIsHandledByThePolicyAsInTwoWindows() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (2, 'two'), (3, 'three')");
    apply(
        LOGGING,
        lab.windowOf(
            List.of(
                List.of(insert("1", "a"), insert("1", "b"), update("1", "c")),
                List.of(delete("2"), delete("2")),
                List.of(new RowChange(ITEM, row("3"), row("1", "moved")), insert("4", "d")))));
    assertThat(items()).containsExactly("1|c", "3|three", "4|d");
    assertThat(exceptions("concat_ws(' ', kind, key ->> 'id', change_number)"))
        .containsExactly("INSERT 1 2", "DELETE 2 2", "UPDATE 3 1");
  }

  @Test
  void theExceptionOfATableWithoutAKeyHasTheCompleteRowAndSaysSo() throws SQLException {
    lab.run("CREATE TABLE dst.log (at int CHECK (at > 0), text text)");
    RowSchema log = schema("log", "at int", "text text");
    apply(LOGGING, lab.windowOf(List.of(List.of(new RowChange(log, null, row("-1", null))))));
    assertThat(
            exceptions("concat_ws('|', key, row_data, statement, position, journal_transaction)"))
        .singleElement()
        .asString()
        .startsWith(
            "{\"at\" : \"-1\", \"text\" : null}|{\"at\" : \"-1\", \"text\" : null}|INSERT on"
                + " dst.log, a table without a key, (at=-1, text=null)|0/110|");
    assertThat(exceptions("error").get(0)).contains("\"log_at_check\"");
  }

  @Test
  void aTruncateIsAppliedInSourceOrderAndStopsOnlyIfThePolicyIsToStop() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (1, 'one')");
    Truncate truncate = new Truncate(List.of(new Emptied(ITEMS, null)));
    apply(
        LOGGING,
        lab.windowOf(List.of(List.of(delete("8"), truncate, insert("1", "again"), delete("7")))));
    assertThat(items()).containsExactly("1|again");
    assertThat(exceptions("key ->> 'id'")).containsExactly("8", "7");

    TaskSettings stopping =
        TaskSettings.DEFAULTS
            .with(ErrorBehavior.DATA_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.DATA_TRUNCATION_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_DELETE_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_FAIL_ON_TRUNCATION_DDL, true);
    ClosedWindow window = lab.windowOf(List.of(List.of(truncate)));
    assertThatThrownBy(() -> apply(stopping, window))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("src.item")
        .hasMessageContaining("ApplyErrorFailOnTruncationDdl");
    assertThat(items()).hasSize(1);
  }

  @Test
  void aTruncateStopsAlsoInARejectedWindowIfThePolicyIsToStop() throws SQLException {
    lab.run("INSERT INTO dst.item VALUES (1, 'one')");
    Truncate truncate = new Truncate(List.of(new Emptied(ITEMS, null)));
    TaskSettings stopping =
        TaskSettings.DEFAULTS
            .with(ErrorBehavior.DATA_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.DATA_TRUNCATION_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_DELETE_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_FAIL_ON_TRUNCATION_DDL, true);
    ClosedWindow window = lab.windowOf(List.of(List.of(insert("2", "bad")), List.of(truncate)));
    assertThatThrownBy(() -> apply(stopping, window))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("ApplyErrorFailOnTruncationDdl");
    assertThat(items()).hasSize(1);
  }

  @Test
  void aColumnAddedByAWindowKeepsTheValuesOfThatWindow() throws SQLException {
    lab.run("CREATE TABLE dst.t (id int PRIMARY KEY)");
    RowSchema narrow = schema("t", "*id int");
    RowSchema wide = schema("t", "*id int", "c text");
    apply(
        LOGGING,
        lab.windowOf(
            List.of(
                List.of(
                    new RowChange(narrow, null, row("1")),
                    new RowChange(wide, null, row("2", "x"))),
                List.of(insert("8", "c"), insert("9", "bad")))));
    assertThat(lab.rows("SELECT id, c FROM dst.t ORDER BY id")).containsExactly("1|null", "2|x");
  }

  @Test
  void anAddedColumnIsAddedAgainInTheNextPass() throws SQLException {
    lab.run("CREATE TABLE dst.t (id int PRIMARY KEY)");
    RowSchema wide = schema("t", "*id int", "c text");
    try (BatchApplier applier = lab.applier(LOGGING)) {
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(
                      new RowChange(wide, null, row("1", "x")),
                      insert("9", "bad"),
                      new RowChange(schema("gone", "*id int"), null, row("1"))))));
      assertThat(applier.suspended()).hasSize(1);
    }
    assertThat(lab.rows("SELECT id, c FROM dst.t")).containsExactly("1|x");
  }

  @Test
  void theRowSchemaIsKnownAfterItsFirstRunWasRolledBack() throws SQLException {
    lab.run("CREATE TABLE dst.t (id int PRIMARY KEY, a text)");
    RowSchema wide = schema("t", "*id int", "a text");
    RowSchema narrow = schema("t", "*id int");
    try (BatchApplier applier = lab.applier(LOGGING)) {
      applier.apply(
          lab.windowOf(
              List.of(List.of(new RowChange(wide, null, row("1", "x")), insert("9", "bad")))));
      applier.apply(lab.windowOf(List.of(List.of(new RowChange(narrow, null, row("2"))))));
    }
    assertThat(lab.rows("SELECT * FROM dst.t ORDER BY id")).containsExactly("1", "2");
  }

  @Test
  void anAmbiguousAlterationSuspendsTheTable() throws SQLException {
    lab.run("CREATE TABLE dst.t (id int PRIMARY KEY, a text)");
    RowSchema renamed = schema("t", "*id int", "b text");
    TaskSettings policies =
        TaskSettings.DEFAULTS
            .with(ErrorBehavior.DATA_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.DATA_TRUNCATION_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.TABLE_ERROR_POLICY, ErrorAction.SUSPEND_TABLE)
            .with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.INSERT_RECORD)
            .with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, ErrorAction.UPDATE_RECORD)
            .with(ErrorBehavior.APPLY_ERROR_DELETE_POLICY, ErrorAction.LOG_ERROR);
    try (BatchApplier applier = lab.applier(policies)) {
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(new RowChange(renamed, row("1"), row("1", "x")), insert("1", "one")))));
      assertThat(applier.suspended())
          .singleElement()
          .extracting(SuspendedTable::reason)
          .asString()
          .contains("no event trigger reported how");
    }
    assertThat(items()).containsExactly("1|one");
  }

  @Test
  void largeRejectedChangesAreWrittenBeforeTheWindowEnds() throws SQLException {
    String large = "x".repeat(5 * 1024 * 1024);
    apply(
        LOGGING,
        lab.windowOf(List.of(List.of(insert("1", large), insert("2", large), insert("3", "c")))));
    assertThat(
            lab.rows(
                "SELECT count(*), max(e.cmin::text::int) < (SELECT i.cmin::text::int FROM dst.item i)"
                    + " FROM sluice_control.sluice_apply_exceptions e"))
        .containsExactly("2|t");
  }

  @Test
  void aSuspendedTableStaysSuspendedUnderItsNewName() throws SQLException {
    lab.run("CREATE TABLE dst.a (id text PRIMARY KEY, n text CHECK (n <> 'bad'))");
    RowSchema a = schema("a", "*id text", "n text");
    RowSchema b = schema("b", "*id text", "n text");
    TaskSettings suspending = all(ErrorAction.SUSPEND_TABLE, ErrorAction.SUSPEND_TABLE);
    try (BatchApplier applier = lab.applier(suspending)) {
      applier.apply(lab.windowOf(List.of(List.of(new RowChange(a, null, row("1", "bad"))))));
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(
                      TargetLab.definition(
                          "ALTER TABLE",
                          TargetLab.table("a", "id", "n"),
                          TargetLab.table("b", "id", "n"))),
                  List.of(new RowChange(b, null, row("2", "x")), insert("1", "one")))));
      assertThat(applier.suspended())
          .extracting(table -> table.table().name())
          .containsExactly("a", "b");
      assertThat(applier.suspended().get(1).reason()).contains("src.a, which is suspended");
    }
    assertThat(lab.rows("SELECT count(*) FROM dst.a")).containsExactly("0");
    assertThat(items()).containsExactly("1|one");
  }

  @Test
  void aSuspensionHoldsForPartitionsAndForDetachedOnes() throws SQLException {
    lab.run(
        "CREATE TABLE dst.r (id text PRIMARY KEY, n text CHECK (n <> 'bad')) PARTITION BY LIST (id)",
        "CREATE TABLE dst.p PARTITION OF dst.r FOR VALUES IN ('1')");
    RowSchema r = schema("r", "*id text", "n text");
    RowSchema p = schema("p", "*id text", "n text");
    Partition one = new Partition(r.table(), r.table(), "FOR VALUES IN ('1')", "id = '1'");
    Partition two = new Partition(r.table(), r.table(), "FOR VALUES IN ('2')", "id = '2'");
    TaskSettings suspending = all(ErrorAction.SUSPEND_TABLE, ErrorAction.SUSPEND_TABLE);
    try (BatchApplier applier = lab.applier(suspending)) {
      applier.apply(lab.windowOf(List.of(List.of(new RowChange(r, null, row("1", "bad"))))));
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(
                      TargetLab.definition(
                          "CREATE TABLE", null, TargetLab.table("q", two, "id", "n"))))));
      assertThat(applier.suspended()).hasSize(1);
      assertThat(lab.rows("SELECT to_regclass('dst.q')")).containsExactly("null");
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(
                      TargetLab.definition(
                          "ALTER TABLE",
                          TargetLab.table("p", one, "id", "n"),
                          TargetLab.table("p", "id", "n"))),
                  List.of(new RowChange(p, null, row("1", "x"))))));
      assertThat(applier.suspended())
          .extracting(table -> table.table().name())
          .containsExactly("p", "r");
    }
    assertThat(lab.rows("SELECT relispartition FROM pg_class WHERE relname = 'p'"))
        .containsExactly("t");
    assertThat(lab.rows("SELECT count(*) FROM dst.p")).containsExactly("0");
  }

  @Test
  void aSuspensionHoldsForPartitionsOfPartitions() throws SQLException {
    lab.run(
        "CREATE TABLE dst.r (id text PRIMARY KEY, n text CHECK (n <> 'bad')) PARTITION BY LIST (id)",
        "CREATE TABLE dst.m PARTITION OF dst.r DEFAULT PARTITION BY LIST (id)",
        "CREATE TABLE dst.leaf PARTITION OF dst.m FOR VALUES IN ('1')");
    RowSchema r = schema("r", "*id text", "n text");
    TableId m = new TableId("src", "m");
    Partition one = new Partition(m, r.table(), "FOR VALUES IN ('1')", "id = '1'");
    Partition two = new Partition(m, r.table(), "FOR VALUES IN ('2')", "id = '2'");
    TaskSettings suspending = all(ErrorAction.SUSPEND_TABLE, ErrorAction.SUSPEND_TABLE);
    try (BatchApplier applier = lab.applier(suspending)) {
      applier.apply(lab.windowOf(List.of(List.of(new RowChange(r, null, row("1", "bad"))))));
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(
                      TargetLab.definition(
                          "CREATE TABLE", null, TargetLab.table("q", two, "id", "n"))),
                  List.of(
                      TargetLab.definition(
                          "DROP TABLE", TargetLab.table("leaf", one, "id", "n"), null)))));
      assertThat(applier.suspended())
          .extracting(table -> table.table().name())
          .containsExactly("r");
    }
    assertThat(lab.rows("SELECT to_regclass('dst.q'), to_regclass('dst.leaf')"))
        .containsExactly("null|dst.leaf");
  }

  @Test
  void aPartitionThatCannotBeAttachedSuspendsItsTable() throws SQLException {
    lab.run("CREATE TABLE dst.r (id text PRIMARY KEY, n text) PARTITION BY LIST (id)");
    RowSchema r = schema("r", "*id text", "n text");
    Partition one = new Partition(r.table(), r.table(), "FOR VALUES IN ('1')", "id = '1'");
    Definition attached =
        new Definition(
            new DefinitionChanges(
                "ALTER TABLE",
                true,
                Map.of(),
                List.of(),
                List.of(
                    new DefinitionChange(
                        TargetLab.table("p", "id", "n"),
                        TargetLab.table("p", one, "id", "n"),
                        false,
                        false,
                        "it got a partition whose rows were not followed"))));
    try (BatchApplier applier =
        lab.applier(all(ErrorAction.SUSPEND_TABLE, ErrorAction.SUSPEND_TABLE))) {
      applier.apply(lab.windowOf(List.of(List.of(attached), List.of(insert("1", "one")))));
      assertThat(applier.suspended())
          .extracting(table -> table.table().name())
          .containsExactly("r");
    }
    assertThat(items()).containsExactly("1|one");
  }

  @Test
  void aTypeIsCastWithTheApplicationsSettingsAndTheTargetsSessionKeepsItsOwn() throws SQLException {
    lab.run(
        "CREATE TABLE dst.d (\"$sluice$'i\\d\" text PRIMARY KEY, d date, at timestamptz)",
        "INSERT INTO dst.d VALUES ('1', '2026-04-03', '2026-01-01 00:00:00+00')");
    TableDefinition texts = TargetLab.table("d", "$sluice$'i\\d", "d", "at");
    RowSchema d = schema("d", "*$sluice$'i\\d text", "d text", "at text");
    Map<String, String> settings =
        Map.of("DateStyle", "German, DMY", "TimeZone", "Asia/Tokyo", "IntervalStyle", "iso_8601");
    try (BatchApplier applier = lab.applier(LOGGING)) {
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(
                      altered(with(texts, "date", "timestamp with time zone"), texts, settings)),
                  List.of(new RowChange(d, null, row("2", "x", "y"))))));
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(
                      altered(
                          texts,
                          with(texts, "character varying", "text"),
                          Map.of("TimeZone", "Not/There"))))));
    }
    assertThat(lab.rows("SELECT d, at FROM dst.d ORDER BY 1"))
        .containsExactly("03.04.2026|01.01.2026 09:00:00 JST", "x|y");
    assertThat(exceptions("error"))
        .singleElement()
        .asString()
        .contains("Not/There")
        .contains("load the table again");
  }

  private static TableDefinition with(TableDefinition table, String second, String third) {
    List<ColumnDefinition> columns = table.columns();
    return new TableDefinition(
        table.table(),
        null,
        null,
        table.key().columns(),
        List.of(columns.get(0), typed(columns.get(1), second), typed(columns.get(2), third)));
  }

  private static ColumnDefinition typed(ColumnDefinition column, String type) {
    return new ColumnDefinition(
        column.number(),
        column.name(),
        type,
        type.equals(column.type()) ? column.typeIdentity() : type,
        null,
        column.notNull(),
        column.filling(),
        null,
        null,
        null);
  }

  private static Definition altered(
      TableDefinition before, TableDefinition after, Map<String, String> settings) {
    return new Definition(
        new DefinitionChanges(
            "ALTER TABLE",
            true,
            settings,
            List.of(),
            List.of(new DefinitionChange(before, after, false, true, null))));
  }

  @Test
  void aDeferrableConstraintIsCheckedBeforeAndAfterDdlOfItsTableOnly() throws SQLException {
    lab.run(
        "CREATE TABLE dst.slot (id text PRIMARY KEY, place text UNIQUE DEFERRABLE INITIALLY"
            + " DEFERRED)",
        "INSERT INTO dst.slot VALUES ('1', 'a'), ('2', 'b'), ('9', 'z')");
    RowSchema slot = schema("slot", "*id text", "place text");
    RowSchema wide = schema("slot", "*id text", "place text", "c text");
    apply(
        LOGGING,
        lab.windowOf(
            List.of(
                List.of(
                    insert("9", "bad"),
                    new RowChange(slot, row("1"), row("1", "b")),
                    TargetLab.definition("CREATE TABLE", null, TargetLab.table("x", "id")),
                    new RowChange(slot, row("2"), row("2", "a"))),
                List.of(
                    TargetLab.definition(
                        "ALTER TABLE",
                        TargetLab.table("slot", "id", "place"),
                        TargetLab.table("slot", "id", "place", "c"))),
                List.of(
                    new RowChange(wide, null, row("3", "z", "c")),
                    new RowChange(wide, null, row("4", "d", "c"))))));
    assertThat(lab.rows("SELECT id, place, c FROM dst.slot ORDER BY id"))
        .containsExactly("1|b|null", "2|a|null", "4|d|c", "9|z|null");
    assertThat(exceptions("row_data ->> 'id'")).containsExactly("9", "3");
  }

  @Test
  void anUnansweredCommitWritesEachExceptionOnce() throws Exception {
    for (Harm kind : List.of(Harm.BREAK_BEFORE, Harm.BREAK_AFTER)) {
      try (Relay relay = new Relay(lab.postgres.port());
          BatchApplier applier =
              lab.applier(
                  lab.serverAt(relay.port(), "postgres"),
                  lab.store().claim("task"),
                  new ApplySettings(LOGGING))) {
        ClosedWindow window =
            lab.windowOf(List.of(List.of(delete("1"), insert("9" + kind.ordinal(), "next"))));
        relay.harmAt(COMMIT, kind);
        assertThatThrownBy(() -> applier.apply(window))
            .isInstanceOf(SluiceException.Retryable.class);
        AppliedWindow applied = applier.apply(window);
        assertErrors(applied, 1, 0);
      }
    }
    assertThat(items()).hasSize(2);
    assertThat(exceptions("action")).hasSize(2);
  }

  @Test
  void aWindowLongerThanARunIsAppliedInOrder() throws SQLException {
    List<ChangeEvent> changes = new ArrayList<>();
    for (int i = 0; i < 9_000; i++) {
      changes.add(insert("" + i, "a"));
      if (i % 3_000 == 7) {
        changes.add(update("" + (100_000 + i), "missing"));
      }
    }
    AppliedWindow applied = apply(LOGGING, lab.windowOf(List.of(changes)));
    assertThat(lab.rows("SELECT count(*) FROM dst.item")).containsExactly("9000");
    assertThat(exceptions("key ->> 'id'")).containsExactly("100007", "103007", "106007");
    assertThat(applied.netChanges()).isEqualTo(9_000);
  }

  @Test
  void theHistorySumsWindowsByTable() throws SQLException {
    ApplySettings settings =
        new ApplySettings(
            LOGGING
                .with(ControlTablesSettings.HISTORY_TABLE_ENABLED, true)
                .with(ControlTablesSettings.HISTORY_TIMESLOT_IN_MINUTES, 7 * 24 * 60));
    try (BatchApplier applier = lab.applier(lab.server(), lab.store().claim("task"), settings)) {
      applier.apply(lab.windowOf(List.of(List.of(insert("1", "a"), update("1", "b")))));
      applier.apply(
          lab.windowOf(
              List.of(
                  List.of(insert("2", "c"), delete("8"), new RowChange(OTHER, null, row("1"))))));
    }
    assertThat(
            lab.rows(
                "SELECT source_table, windows, records, inserts, updates, deletes, net_changes,"
                    + " applied_inserts, conflicts FROM sluice_control.sluice_history"
                    + " ORDER BY source_table"))
        .containsExactly("|2|5|3|1|1|3|3|1", "item|2|4|2|1|1|2|2|1", "other|1|1|1|0|0|1|1|0");
  }

  private AppliedWindow apply(TaskSettings policies, ClosedWindow window) {
    try (BatchApplier applier = lab.applier(policies)) {
      return lab.apply(applier, window);
    }
  }

  private List<String> items() throws SQLException {
    return lab.rows("SELECT id, name FROM dst.item ORDER BY id");
  }

  private List<String> exceptions(String expression) throws SQLException {
    return lab.rows(
        "SELECT " + expression + " FROM sluice_control.sluice_apply_exceptions ORDER BY id");
  }

  private static TaskSettings upserting() {
    return TaskSettings.DEFAULTS
        .with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.INSERT_RECORD)
        .with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, ErrorAction.UPDATE_RECORD)
        .with(ErrorBehavior.APPLY_ERROR_DELETE_POLICY, ErrorAction.IGNORE_RECORD);
  }

  private static TaskSettings all(ErrorAction record, ErrorAction table) {
    return TaskSettings.DEFAULTS
        .with(ErrorBehavior.DATA_ERROR_POLICY, record)
        .with(ErrorBehavior.DATA_TRUNCATION_ERROR_POLICY, record)
        .with(ErrorBehavior.TABLE_ERROR_POLICY, table)
        .with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, record)
        .with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, record)
        .with(ErrorBehavior.APPLY_ERROR_DELETE_POLICY, record);
  }

  private static RowChange insert(String... values) {
    return new RowChange(ITEM, null, row(values));
  }

  private static RowChange update(String id, String name) {
    return new RowChange(ITEM, row(id), row(id, name));
  }

  private static RowChange delete(String id) {
    return new RowChange(ITEM, row(id), null);
  }

  /** The rejections are counted, and the last one is kept in words. */
  private static void assertErrors(AppliedWindow applied, long conflicts, long upserts) {
    TableErrors errors = applied.errors().get(ITEMS);
    assertThat(errors.conflicts()).isEqualTo(conflicts);
    assertThat(errors.upserts()).isEqualTo(upserts);
    assertThat(errors.suspended()).isZero();
    assertThat(errors.lastRejection().orElseThrow())
        .matches("(?s)(INSERT|UPDATE|DELETE|TRUNCATE): .+");
  }
}
