package dev.sluice.sink.control;

import static dev.sluice.sink.target.control.ControlColumn.optional;
import static dev.sluice.sink.target.control.ControlColumn.required;
import static dev.sluice.sink.target.control.ControlType.INTEGER;
import static dev.sluice.sink.target.control.ControlType.LONG;
import static dev.sluice.sink.target.control.ControlType.NAME;
import static dev.sluice.sink.target.control.ControlType.TEXT;
import static dev.sluice.sink.target.control.ControlType.TEXTS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.control.suspension.TableJoin;
import dev.sluice.sink.control.task.TaskIdentities;
import dev.sluice.sink.control.task.TaskIdentity;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.control.task.TaskSteps;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.control.validation.ValidationStore.RepairNote;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlDefinitions;
import dev.sluice.sink.target.control.ControlShape;
import dev.sluice.sink.target.control.ControlStatements;
import dev.sluice.sink.target.control.ControlStatements.Assignment;
import dev.sluice.sink.target.control.ControlStatements.RowSums;
import dev.sluice.sink.target.control.ControlStatements.RowUpdate;
import dev.sluice.sink.target.control.ControlStatements.Upsert;
import dev.sluice.sink.target.control.NamedLocks;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What any dialect must do for control tables. A dialect's test passes it on its own server. */
public abstract class ControlDialectContractTest {
  private static final TableId TABLE = new TableId("control", "kept");
  private static final List<ControlColumn> KEY = List.of(required("task", NAME));
  private static final ControlColumn NOTE = optional("note", TEXT);
  private static final ControlColumn SUM = required("total", LONG, "0");
  private static final ControlColumn NAMES = optional("names", TEXTS);
  private static final ControlShape SHAPE =
      new ControlShape(
          List.of(KEY.get(0), required("n", INTEGER, "7"), NOTE, SUM, NAMES),
          List.of("task"),
          List.of("note"),
          true);

  private static final TableId ITEM = new TableId("shop", "item");

  /** Each begins beside removals. */
  private static final int TASKS = 5;

  private TargetConnection connection;

  /** A target without a schema {@code control}. */
  protected abstract TargetServer target() throws SQLException;

  @BeforeEach
  void open() throws SQLException {
    connection = target().connect();
    for (String statement : definitions().createSchema(TABLE.schema())) {
      connection.execute(statement);
    }
    for (String statement : definitions().create(TABLE, SHAPE)) {
      connection.execute(statement);
    }
    connection.jdbc().commit();
  }

  @AfterEach
  void close() throws SQLException {
    connection.rollback();
    connection.execute("DROP TABLE " + TABLE.quoted());
    assertThat(definitions().isOwnAndEmpty(connection.jdbc(), TABLE.schema())).isTrue();
    for (String statement : definitions().dropSchema(TABLE.schema())) {
      connection.execute(statement);
    }
    connection.jdbc().commit();
    connection.close();
  }

  private ControlDefinitions definitions() {
    return connection.dialect().controlDefinitions();
  }

  private ControlStatements statements() {
    return connection.dialect().control();
  }

  @Test
  void aTableGetsTheColumnsOfALaterVersion() throws SQLException {
    assertThat(definitions().hasTable(connection.jdbc(), TABLE)).isTrue();
    assertThat(definitions().isOwnAndEmpty(connection.jdbc(), TABLE.schema())).isFalse();
    assertThat(definitions().renew(connection.jdbc(), TABLE, SHAPE)).isEmpty();
    insert("a", null);
    List<ControlColumn> more = new ArrayList<>(SHAPE.columns());
    more.add(required("later", TEXT, "'new'"));
    ControlShape later = new ControlShape(more, SHAPE.key(), SHAPE.index(), true);
    for (String statement : definitions().renew(connection.jdbc(), TABLE, later)) {
      connection.execute(statement);
    }
    assertThat(definitions().renew(connection.jdbc(), TABLE, later)).isEmpty();
    assertThat(rows("task, later")).containsExactly("a|new");
  }

  /** As after waiting for a lock: the session may have looked for it before. */
  @Test
  void aTableThatAnotherSessionHasMadeIsSeenInTheSameTransaction() throws SQLException {
    TableId later = new TableId(TABLE.schema(), "later");
    assertThat(definitions().hasTable(connection.jdbc(), later)).isFalse();
    try (TargetConnection other = target().connect()) {
      for (String statement : definitions().create(later, SHAPE)) {
        other.execute(statement);
      }
      other.jdbc().commit();
      boolean seen = definitions().hasTable(connection.jdbc(), later);
      List<String> lacking = definitions().renew(connection.jdbc(), later, SHAPE);
      connection.rollback();
      other.execute("DROP TABLE " + later.quoted());
      other.jdbc().commit();
      assertThat(seen).isTrue();
      assertThat(lacking).isEmpty();
    }
  }

  @Test
  void aRowIsInsertedOnce() throws SQLException {
    assertThat(insert("a", "first")).isEqualTo(1);
    assertThat(insert("a", "second")).isZero();
    assertThat(rows("task, n, note, total")).containsExactly("a|7|first|0");
  }

  @Test
  void anUpsertReplacesWhatItNamesAndKeepsWhatIsNotKnownNow() throws SQLException {
    Upsert replace = upsert(Assignment.of("note"), Assignment.to("total", "5"), Assignment.of("n"));
    Upsert keep = upsert(Assignment.unlessNull("note"), Assignment.of("n"));
    run(replace, "a", 1, "one");
    run(replace, "a", 2, null);
    assertThat(rows("task, n, note, total")).containsExactly("a|2|null|5");
    run(keep, "a", 3, "known");
    run(keep, "a", 4, null);
    assertThat(rows("task, n, note, total")).containsExactly("a|4|known|5");
  }

  @Test
  void severalRowsAreUpdatedByTheirKeysAndCounted() throws SQLException {
    insert("a", "old");
    insert("b", "old");
    insert("c", "old");
    List<List<Object>> rows =
        List.of(Arrays.asList("a", "new", 1L), Arrays.asList("b", null, 2L), List.of("x", "y", 3L));
    RowUpdate all = new RowUpdate(TABLE.quoted(), KEY, List.of(NOTE, SUM), "n = n + 1", false);
    assertThat(statements().updateRows(connection.jdbc(), all, rows)).isEqualTo(2);
    assertThat(rows("task, n, note, total"))
        .containsExactly("a|8|new|1", "b|8|null|2", "c|7|old|0");
    RowUpdate changed = new RowUpdate(TABLE.quoted(), KEY, List.of(NOTE, SUM), "n = n + 1", true);
    List<List<Object>> again = List.of(List.of("a", "new", 1L), List.of("b", "set", 2L));
    assertThat(statements().updateRows(connection.jdbc(), changed, again)).isEqualTo(1);
    assertThat(rows("task, n, note, total")).containsExactly("a|8|new|1", "b|9|set|2", "c|7|old|0");
  }

  /** Of the row that a difference has: fifty may be more than a statement takes. */
  protected int charactersOfRow() {
    return 30_000;
  }

  @Test
  void rowsThatDifferAreListedHoweverLargeTheyAreTogether() throws SQLException {
    CheckpointStore checkpoints = new CheckpointStore(target(), "listed");
    checkpoints.create();
    Checkpoint claimed = checkpoints.claim("large");
    ValidationStore store = new ValidationStore(target(), "listed", "large");
    String row = "x".repeat(charactersOfRow());
    List<RowFailure> found = new ArrayList<>();
    for (int id = 0; id < 60; id++) {
      found.add(missing("{\"id\":\"%d\"}".formatted(id), row));
    }
    store.list(claimed, ITEM, found);
    assertThat(store.failures()).isEqualTo(found);
    checkpoints.drop("large");
    checkpoints.removeUnused();
  }

  /** What a control table does not take is cut, and listed and noted all the same. */
  @Test
  void aRowThatDiffersIsListedAndItsRepairNotedHoweverLongItsTextIs() throws SQLException {
    CheckpointStore checkpoints = new CheckpointStore(target(), "listed");
    checkpoints.create();
    Checkpoint claimed = checkpoints.claim("long");
    ValidationStore store = new ValidationStore(target(), "listed", "long");
    String row = "{\"id\":\"1\",\"body\":\"%s\"}".formatted("é".repeat(60_000));
    RowFailure found = missing("{\"id\":\"1\"}", row);
    store.list(claimed, ITEM, List.of(found));
    assertThat(store.failures())
        .singleElement()
        .extracting(listed -> listed.source().orElseThrow())
        .satisfiesAnyOf(
            whole -> assertThat(whole).isEqualTo(row),
            cut ->
                assertThat(cut)
                    .startsWith("{\"cut\":\"{\\\"id\\\":\\\"1\\\"")
                    .endsWith("…\",\"characters\":\"60020\"}"));
    checkpoints.change(
        claimed,
        "note a repair",
        session -> store.repaired(session, ITEM, List.of(new RepairNote(found, "UPSERT")), "1"));
    assertThat(store.failures()).isEmpty();
    checkpoints.drop("long");
    checkpoints.removeUnused();
  }

  /** A text of one character, many times, is a key of few bytes on a source that compresses it. */
  @Test
  void aRowThatDiffersIsListedAndFoundAgainHoweverLongItsKeyIs() throws SQLException {
    CheckpointStore checkpoints = new CheckpointStore(target(), "listed");
    checkpoints.create();
    Checkpoint claimed = checkpoints.claim("keys");
    ValidationStore store = new ValidationStore(target(), "listed", "keys");
    RowFailure first = missing("{\"id\":\"%s1\"}".formatted("é".repeat(60_000)), "{}");
    RowFailure second = missing("{\"id\":\"%s2\"}".formatted("é".repeat(60_000)), "{}");
    store.list(claimed, ITEM, List.of(first, second));
    store.list(claimed, ITEM, List.of(second));
    assertThat(store.failures()).as("each once").containsExactly(first, second);
    checkpoints.change(
        claimed,
        "note a repair",
        session -> store.repaired(session, ITEM, List.of(new RepairNote(first, "UPSERT")), "1"));
    assertThat(store.failures()).containsExactly(second);
    checkpoints.drop("keys");
    checkpoints.removeUnused();
  }

  /** The step of a load has the names of its tables. */
  @Test
  void aStepOfATaskHasAsMuchDetailAsThousandsOfTablesNeed() throws SQLException {
    CheckpointStore checkpoints = new CheckpointStore(target(), "listed");
    checkpoints.create();
    Checkpoint claimed = checkpoints.claim("steps");
    TaskSteps steps = new TaskSteps(target(), "listed");
    for (String detail : List.of("[\"shop\",\"item\"],".repeat(5_000), "[]")) {
      steps.record(claimed, "prepared-tables", "known", detail);
      assertThat(steps.all("steps")).extracting(TaskStep::detail).containsExactly(detail);
    }
    checkpoints.drop("steps");
    checkpoints.removeUnused();
  }

  private static RowFailure missing(String key, String row) {
    return new RowFailure(
        ITEM,
        ITEM,
        FailureKind.MISSING_TARGET,
        key,
        Optional.of(row),
        Optional.empty(),
        "{}",
        new ReadAt(new Position(1), new Position(1)),
        1,
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void rowsOfSumsAreInsertedOrAdded() throws SQLException {
    RowSums sums =
        new RowSums(
            TABLE.quoted(),
            List.of("task"),
            Map.of(),
            KEY,
            List.of(NOTE),
            List.of(required("n", INTEGER)),
            List.of(SUM));
    statements().addRows(connection.jdbc(), sums, List.of(List.of("a", "one", 5, 10L)));
    statements()
        .addRows(
            connection.jdbc(),
            sums,
            List.of(List.of("a", "two", 3, 20L), List.of("b", "one", 1, 1L)));
    assertThat(rows("task, n, note, total")).containsExactly("a|5|two|30", "b|1|one|1");
  }

  @Test
  void textsComeBackAsTheyWere() throws SQLException {
    insert("a", null);
    List<String> texts = List.of("", "NULL", "a,b", "\"quoted\"", "{}", "back\\slash", "é😀\n");
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement("UPDATE " + TABLE.quoted() + " SET names = ? WHERE task = ?")) {
      for (List<String> each : List.of(texts, List.<String>of())) {
        statements().setTexts(statement, 1, each);
        statement.setString(2, "a");
        statement.executeUpdate();
        try (Statement query = connection.jdbc().createStatement();
            ResultSet row = query.executeQuery("SELECT names FROM " + TABLE.quoted())) {
          row.next();
          assertThat(statements().texts(row, 1)).isEqualTo(each);
        }
      }
    }
  }

  @Test
  void aLockByNameExcludesOtherSessions() throws SQLException {
    NamedLocks locks = connection.dialect().locks();
    TargetServer server = target();
    try (TargetConnection other = server.connect()) {
      locks.lock(connection.jdbc(), "purpose", "task");
      assertThat(locks.isHeld(other.jdbc(), "purpose", "task")).isTrue();
      assertThat(locks.isHeld(other.jdbc(), "purpose", "other task")).isFalse();
      assertThat(locks.tryLock(other.jdbc(), "purpose", "task")).isFalse();
      connection.jdbc().commit();
      assertThat(locks.tryLock(other.jdbc(), "purpose", "task")).isTrue();
      other.jdbc().commit();
      assertThat(locks.tryLock(connection.jdbc(), "purpose", "task")).isFalse();
    }
    // The server ends the session a moment later.
    Awaitility.await()
        .atMost(Duration.ofMinutes(5))
        .until(() -> !locks.isHeld(connection.jdbc(), "purpose", "task"));
  }

  /** A table joins its lane when it has reached the position at which that is held. */
  @Test
  void whoHoldsTheLaneOfATableLetsTheTableCatchUp() throws SQLException {
    Checkpoint claimed = claimedWithLane("held");
    SuspensionStore suspensions =
        new SuspensionStore(
            target(),
            "held",
            claimed,
            UnaryOperator.identity(),
            new SuspensionChanges(),
            Clock.systemUTC());
    try (TableJoin join = suspensions.beginJoin(ITEM)) {
      moveOn("held", claimed);
      assertThat(join.tablePosition()).isEqualTo(new Position(150));
    }
    drop("held");
  }

  /** Each lane does, at the beginning of a window. */
  @Test
  void whoReadsWhichTablesAreSuspendedLetsOtherLanesMoveOn() throws SQLException {
    Checkpoint claimed = claimedWithLane("read");
    try (TargetConnection reader = target().connect()) {
      assertThat(new SuspendedTables("read", "task").read(reader)).isEmpty();
      moveOn("read", claimed);
    }
    drop("read");
  }

  private Checkpoint claimedWithLane(String schema) throws SQLException {
    CheckpointStore checkpoints = new CheckpointStore(target(), schema);
    Checkpoint claimed =
        again(
            () -> {
              checkpoints.create();
              return checkpoints.claim("task");
            });
    LaneCheckpoint lane =
        LaneCheckpoint.startingAt(
            LaneId.catchUp(ITEM), List.of(ITEM), new JournalOffset(new Position(100), 1, 1, 10));
    new LaneCheckpoints(target(), schema).replace(claimed, List.of(), List.of(lane));
    return claimed;
  }

  /** As a window of the lane does. */
  private void moveOn(String schema, Checkpoint claimed) throws SQLException {
    WindowCheckpoint checkpoint = new WindowCheckpoint(schema, claimed, LaneId.catchUp(ITEM));
    try (TargetConnection window = target().connect()) {
      checkpoint.lock(window);
      checkpoint.advance(window, new JournalOffset(new Position(150), 1, 2, 30));
      checkpoint.harden(window);
      window.jdbc().commit();
    }
  }

  private void drop(String schema) throws SQLException {
    CheckpointStore checkpoints = new CheckpointStore(target(), schema);
    assertThat(again(() -> checkpoints.drop("task"))).isTrue();
    checkpoints.removeUnused();
  }

  /** Until it has a row, nobody sees that somebody needs the tables. */
  @Test
  @Timeout(600)
  protected void aTaskThatBeginsWhileTheLastOneIsRemovedGetsAllItsTables() throws SQLException {
    TargetServer target = target();
    CheckpointStore store = new CheckpointStore(target, "removed");
    TaskSteps steps = new TaskSteps(target, "removed");
    TaskIdentities identities = new TaskIdentities(target, "removed");
    AtomicBoolean ends = new AtomicBoolean();
    CompletableFuture<Void> removal =
        CompletableFuture.runAsync(
            () -> {
              while (!ends.get()) {
                store.removeUnused();
              }
            });
    try {
      for (int i = 0; i < TASKS; i++) {
        String task = "task " + i;
        again(
            () -> {
              steps.all(task);
              store.read(task);
              store.create();
              identities.read(task).orElseGet(() -> identities.keep(identity(task)));
              return store.claim(task);
            });
        assertThat(again(() -> store.read(task))).isPresent();
        assertThat(again(() -> store.drop(task))).isTrue();
      }
      assertThat(removal).isNotDone();
    } finally {
      ends.set(true);
      removal.join();
    }
    store.removeUnused();
  }

  private static TaskIdentity identity(String task) {
    return new TaskIdentity(task, UUID.randomUUID(), "1", "shop", Optional.empty(), "h", "/d");
  }

  /**
   * As a daemon does: what may pass is tried again as a whole. The server may end a closed session
   * late, and with it its locks.
   */
  private static <T> T again(Supplier<T> use) {
    while (true) {
      try {
        return use.get();
      } catch (SluiceException.Retryable e) {
        // The tables are made again.
      }
    }
  }

  private int insert(String task, String note) throws SQLException {
    try (PreparedStatement statement =
        statements()
            .prepareInsertUnlessThere(connection.jdbc(), TABLE.quoted(), List.of("task", "note"))) {
      statement.setString(1, task);
      statement.setString(2, note);
      return statement.executeUpdate();
    }
  }

  private static Upsert upsert(Assignment... assignments) {
    return Upsert.of(
        TABLE.quoted(), List.of("task", "n", "note"), List.of("task"), List.of(assignments));
  }

  private void run(Upsert upsert, String task, int n, String note) throws SQLException {
    try (PreparedStatement statement = statements().prepareUpsert(connection.jdbc(), upsert)) {
      statement.setString(1, task);
      statement.setInt(2, n);
      statement.setString(3, note);
      statement.executeUpdate();
    }
  }

  private List<String> rows(String columns) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT %s FROM %s ORDER BY task".formatted(columns, TABLE.quoted()))) {
      List<String> rows = new ArrayList<>();
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          values.add(row.getString(i));
        }
        rows.add(String.join("|", values));
      }
      return rows;
    }
  }
}
