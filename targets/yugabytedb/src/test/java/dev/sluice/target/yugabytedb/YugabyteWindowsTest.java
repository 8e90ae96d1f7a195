package dev.sluice.target.yugabytedb;

import static dev.sluice.sink.apply.TargetLab.change;
import static dev.sluice.sink.apply.TargetLab.definition;
import static dev.sluice.sink.apply.TargetLab.delete;
import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static dev.sluice.sink.apply.TargetLab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.strict.Fault;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.compaction.NetChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Windows that meet what YugabyteDB lacks. */
class YugabyteWindowsTest {
  private static final RowSchema ITEM = schema("item", "*id int", "code int", "note text");

  /** Enough rows of a change for a temporary table. */
  private static final int MANY = 1_200;

  private YugabyteLab database;
  private TargetLab lab;

  @BeforeEach
  void open() throws SQLException {
    database = YugabyteLab.database();
    lab = TargetLab.on(database);
    lab.run("CREATE TABLE dst.item (id int PRIMARY KEY, code int UNIQUE, note text)");
  }

  @AfterEach
  void close() throws SQLException {
    assertThat(YugabyteLab.proxy().refused()).isEmpty();
    lab.close();
  }

  /** Each run of changes has a savepoint, beside which no temporary table may be created. */
  @Test
  void aRejectedWindowThatNeedsTemporaryTablesIsAppliedBetweenSavepoints() throws SQLException {
    TaskSettings logging =
        TaskSettings.DEFAULTS.with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.LOG_ERROR);
    try (BatchApplier applier = lab.applier(logging)) {
      List<ChangeEvent> inserts = new ArrayList<>();
      List<ChangeEvent> changes = new ArrayList<>();
      for (int id = 0; id < MANY; id++) {
        inserts.add(new RowChange(ITEM, null, row("" + id, "" + id, "old")));
        // Codes go round, so each row is deleted and inserted again, with its other values.
        changes.add(
            new RowChange(ITEM, row("" + id), TargetLab.toasted("" + id, "" + (id + MANY), "~")));
      }
      changes.add(new RowChange(ITEM, null, row("0", "-1", "its key is there")));
      lab.apply(applier, lab.windowOf(List.of(inserts)));
      AppliedWindow applied = lab.apply(applier, lab.windowOf(List.of(changes)));
      assertThat(applied.errors().get(ITEM.table()).conflicts()).isEqualTo(1);
    }
    assertThat(lab.replays()).isEqualTo(1);
    assertThat(lab.rows("SELECT count(*), min(code), max(code), min(note) FROM dst.item"))
        .containsExactly(MANY + "|" + MANY + "|" + (2 * MANY - 1) + "|old");
  }

  /** Each part of the rejected window keeps other columns of the rows that it inserts again. */
  @Test
  void partsOfARejectedWindowThatKeepOtherColumnsAreAppliedWithoutTheBadChange()
      throws SQLException {
    lab.run("CREATE TABLE dst.page (id int PRIMARY KEY, code int UNIQUE, body text, html text)");
    RowSchema page = schema("page", "*id int", "code int", "body text", "html text");
    TaskSettings logging =
        TaskSettings.DEFAULTS.with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.LOG_ERROR);
    try (BatchApplier applier = lab.applier(logging)) {
      List<ChangeEvent> inserts = new ArrayList<>();
      List<ChangeEvent> changes = new ArrayList<>();
      for (int id = 0; id < 8; id++) {
        inserts.add(new RowChange(page, null, row("" + id, "" + id, "body", "html")));
        String code = "" + (id + 8);
        Row changed =
            id < 4
                ? TargetLab.toasted("" + id, code, "~", "new")
                : TargetLab.toasted("" + id, code, "new", "~");
        changes.add(new RowChange(page, row("" + id), changed));
      }
      changes.add(new RowChange(page, null, row("0", "-1", "its key", "is there")));
      lab.apply(applier, lab.windowOf(List.of(inserts)));
      AppliedWindow applied = lab.apply(applier, lab.windowOf(List.of(changes)));
      assertThat(applied.errors().get(page.table()).conflicts()).isEqualTo(1);
    }
    assertThat(
            lab.rows(
                "SELECT body, html, count(*), min(code), max(code) FROM dst.page GROUP BY 1, 2 ORDER BY 1"))
        .containsExactly("body|new|4|8|11", "new|html|4|12|15");
  }

  /** In snapshot isolation it would read what was there before it waited. */
  @Test
  void aWindowThatHasWaitedForItsCheckpointSeesWhatWasCommittedMeanwhile() throws Exception {
    Checkpoint claimed = lab.store().claim("task");
    try (BatchApplier applier = lab.applier(lab.server(), claimed, 0);
        Connection other = database.connect();
        Statement statement = other.createStatement()) {
      lab.apply(applier, lab.window(net(keyed(ITEM, insert(row("1", "10", "a"))))));
      ClosedWindow window = lab.window(net(keyed(ITEM, change(row("2"), row("2", "20", "b")))));
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM sluice_control.checkpoint FOR UPDATE");
      CompletableFuture<AppliedWindow> waiting =
          CompletableFuture.supplyAsync(() -> applier.apply(window));
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .until(
              () ->
                  !lab.rows(
                          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                              + " AND datname = current_database()")
                      .isEmpty());
      statement.execute("INSERT INTO dst.item VALUES (2, 20, 'committed meanwhile')");
      other.commit();
      waiting.join();
    }
    assertThat(lab.rows("SELECT * FROM dst.item ORDER BY id")).containsExactly("1|10|a", "2|20|b");
  }

  /** A write that waits for it would fail, and so would each further attempt on a busy lane. */
  @Test
  void aClaimWaitsForTheWindowInFlightOfALane() throws Exception {
    lab.store().claim("task");
    lab.run(
        "INSERT INTO sluice_control.lane_checkpoint (task, lane, tables, epoch, durable, position,"
            + " journal_term, journal_transaction, next_offset)"
            + " VALUES ('task', '1', '{}', 1, '0/0', '0/0', 1, 0, 0)");
    String settings = "ALTER DATABASE " + lab.rows("SELECT current_database()").get(0) + " SET ";
    lab.run(
        settings + "deadlock_timeout = '10ms'",
        settings + "log_lock_waits = on",
        settings + "client_min_messages = log");
    try (StrictProxy proxy = new StrictProxy(YugabyteLab.postgresPort(), 0);
        Connection window = database.connect();
        Statement statement = window.createStatement()) {
      CheckpointStore store =
          new CheckpointStore(database.serverAt(proxy.port()), TargetLab.CONTROL);
      window.setAutoCommit(false);
      statement.execute("UPDATE sluice_control.lane_checkpoint SET next_offset = 7");
      CompletableFuture<Checkpoint> claim =
          CompletableFuture.supplyAsync(() -> store.claim("task"));
      Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> proxy.waits() > 0);
      window.commit();
      assertThat(claim.get().epoch()).isEqualTo(2);
    }
    assertThat(lab.rows("SELECT epoch, next_offset FROM sluice_control.lane_checkpoint"))
        .containsExactly("2|7");
  }

  /** A conflict of one of many tables would otherwise undo what was made of the others. */
  @Test
  void aTemporaryTableThatMeetsAConflictIsMadeWithinTheWindow() throws SQLException {
    lab.run("INSERT INTO dst.item SELECT n FROM generate_series(1, " + MANY + ") AS n");
    try (BatchApplier applier = lab.applier(0)) {
      YugabyteLab.proxy().failOnce("create temporary table", Fault.CONFLICT);
      lab.apply(applier, lab.window(net(keyed(ITEM, deletes()))));
    }
    assertThat(lab.rows("SELECT 1 FROM dst.item")).isEmpty();
  }

  /** Its session goes on, and the second time another one is opened. */
  @Test
  void temporaryTablesStayThroughOneErrorOfTheStorage() throws SQLException {
    AtomicInteger made = new AtomicInteger();
    YugabyteLab.proxy().beforeEach("create temporary table", made::incrementAndGet);
    try (BatchApplier applier = lab.applier(0)) {
      applyDeletes(applier, 0);
      int ofOneSession = made.get();
      assertThat(ofOneSession).isPositive();
      applyDeletes(applier, 1);
      assertThat(made.get()).as("after one error").isEqualTo(ofOneSession);
      applyDeletes(applier, 2);
      assertThat(made.get()).as("after two in a row").isEqualTo(2 * ofOneSession);
      applyDeletes(applier, 1);
      assertThat(made.get()).as("after one behind a window").isEqualTo(2 * ofOneSession);
    } finally {
      YugabyteLab.proxy().beforeEach("create temporary table", () -> {});
    }
    assertThat(lab.rows("SELECT 1 FROM dst.item")).isEmpty();
  }

  /** Applies a window whose statements meet so many timeouts of the storage first. */
  private void applyDeletes(BatchApplier applier, int timeouts) throws SQLException {
    lab.run("INSERT INTO dst.item SELECT n FROM generate_series(1, " + MANY + ") AS n");
    ClosedWindow window = lab.window(net(keyed(ITEM, deletes())));
    for (int n = 0; n < timeouts; n++) {
      YugabyteLab.proxy().failOnce("delete from", Fault.STORAGE_TIMEOUT);
      assertThatThrownBy(() -> lab.apply(applier, window))
          .isInstanceOf(SluiceException.Retryable.class);
    }
    lab.apply(applier, window);
  }

  @Test
  void aSuspensionHoldsAlsoIfItsReadMeetsAConflict() throws SQLException {
    Checkpoint claimed = lab.store().claim("task");
    try (BatchApplier applier = lab.applier(lab.server(), claimed, 0)) {
      lab.apply(applier, lab.window(net(keyed(ITEM, insert(row("1", "10", "a"))))));
      lab.suspensions(claimed).reload(List.of(ITEM.table()));
      YugabyteLab.proxy().failOnce("select source_schema", Fault.CONFLICT);
      ClosedWindow window = lab.window(net(keyed(ITEM, insert(row("2", "20", "b")))));
      assertThatThrownBy(() -> lab.apply(applier, window))
          .isInstanceOf(SluiceException.Retryable.class);
      lab.apply(applier, window);
    }
    assertThat(lab.rows("SELECT id FROM dst.item")).containsExactly("1");
  }

  /** What DELETE leaves of a temporary table goes with the session only. */
  @Test
  void temporaryTablesDoNotGrowWithEachWindow() throws SQLException {
    TargetServer server = database.serverAt(database.port(), new YugabyteDialect(2 * MANY));
    long largest = 0;
    long afterTwo = 0;
    try (BatchApplier applier = lab.applier(server, lab.store().claim("task"), 0)) {
      for (int window = 1; window <= 9; window++) {
        lab.run("INSERT INTO dst.item SELECT n FROM generate_series(1, " + MANY + ") AS n");
        lab.apply(applier, lab.window(net(keyed(ITEM, deletes()))));
        largest = Math.max(largest, temporaryBytes());
        afterTwo = window == 2 ? largest : afterTwo;
        applier.rest(window);
      }
    }
    assertThat(afterTwo).isPositive();
    assertThat(largest).isLessThan(3 * afterTwo);
  }

  /** Of so many rows that the window needs a temporary table. */
  private static NetChange[] deletes() {
    NetChange[] deletes = new NetChange[MANY];
    Arrays.setAll(deletes, n -> delete(row("" + (n + 1))));
    return deletes;
  }

  /** Of the largest table, also of a session that ends. */
  private long temporaryBytes() throws SQLException {
    return Long.parseLong(
        lab.rows(
                "SELECT coalesce(max(pg_relation_size(oid)), 0) FROM pg_class"
                    + " WHERE relpersistence = 't' AND relkind = 'r'")
            .get(0));
  }

  @Test
  void aChangedDefinitionIsRefusedAndNothingOfItsWindowIsThere() throws SQLException {
    try (BatchApplier applier = lab.applier(0)) {
      for (ChangeEvent refused :
          List.of(
              definition("ALTER TABLE", table("item", "id"), table("item", "id", "more")),
              definition("CREATE TABLE", null, table("fresh", "id")))) {
        ClosedWindow window =
            lab.windowOf(List.of(List.of(new RowChange(ITEM, null, row("1", "10", "a")), refused)));
        assertThatThrownBy(() -> lab.apply(applier, window)).isInstanceOf(SluiceException.class);
      }
    }
    assertThat(lab.rows("SELECT * FROM dst.item")).isEmpty();
    assertThat(lab.rows("SELECT 1 FROM pg_attribute WHERE attname = 'more'")).isEmpty();
    assertThat(lab.rows("SELECT 1 FROM pg_class WHERE relname = 'fresh'")).isEmpty();
  }

  @Test
  void noSchemaIsMadeForATableThatIsRefused() throws SQLException {
    lab.run("DROP SCHEMA dst CASCADE");
    try (BatchApplier applier = lab.applier(0)) {
      ClosedWindow window =
          lab.windowOf(List.of(List.of(definition("CREATE TABLE", null, table("fresh", "id")))));
      assertThatThrownBy(() -> lab.apply(applier, window))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("create table dst.fresh");
    }
    assertThat(YugabyteLab.proxy().statements())
        .noneMatch(statement -> statement.matches("CREATE SCHEMA .*dst.*"));
  }

  @Test
  void aMissingRowIsNamedWithoutSystemColumns() {
    try (BatchApplier applier = lab.applier(0)) {
      assertThatThrownBy(
              () ->
                  lab.apply(
                      applier,
                      lab.windowOf(
                          List.of(
                              List.of(new RowChange(ITEM, row("7"), row("7", "1", "not there")))))))
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("(id=7) matches 0 rows");
    }
  }
}
