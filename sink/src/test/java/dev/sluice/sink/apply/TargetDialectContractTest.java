package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.change;
import static dev.sluice.sink.apply.TargetLab.delete;
import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.schema;
import static dev.sluice.sink.apply.TargetLab.toasted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.Relay;
import dev.sluice.embedded.postgres.Relay.Harm;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.TableChanges;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What any target must do. A dialect's test passes it on a server of its own. */
public abstract class TargetDialectContractTest {
  /** A set of so many rows is staged, on targets that send small ones as parameters. */
  private static final int STAGED = 501;

  /** More rows than one batch has, on targets that send them by batches. */
  private static final int LARGE = 1_001;

  private static final RowSchema ITEM = schema("item", "*id int", "code int", "note text");

  /** The name of a table that must be quoted. */
  protected static final String ODD = "select \"from\" Ünïcode; --";

  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private TargetLab lab;
  private BatchApplier applier;

  /** A new database of the dialect, with an empty schema {@code dst}. */
  protected abstract TargetLab newDatabase() throws SQLException;

  /**
   * Creates the table {@code item} in {@code dst}: id, a number and the key; code, a unique number;
   * note, a text of 1000 characters.
   */
  protected abstract void createItems(TargetLab lab) throws SQLException;

  /**
   * Creates the table {@link #ODD} in {@code dst}: {@code Key "one"}, a number and the key; {@code
   * group}, a text; {@code a'b}, a unique number.
   */
  protected abstract void createOdd(TargetLab lab) throws SQLException;

  /** The rows of that table, each as its columns with {@code |} between them. */
  protected abstract List<String> oddRows(TargetLab lab) throws SQLException;

  /**
   * Creates the table {@code kept} in {@code dst}: id, a number and the key; code, a unique number;
   * wide, a text; mine, a text that only the target has, {@code new} by default.
   */
  protected abstract void createKept(TargetLab lab) throws SQLException;

  /** Creates the table {@code word} in {@code dst}: word, a text and the key; n, a number. */
  protected abstract void createWords(TargetLab lab) throws SQLException;

  /** The words of a COMMIT on their way to the server. */
  protected abstract String commit();

  /** Whether a session commits something before its first window of a table. */
  protected boolean commitsBeforeItsFirstWindow() {
    return false;
  }

  /** Whether the server ends a statement that waits for a lock when its client has gone. */
  protected boolean noticesLostClients() {
    return true;
  }

  /** A query that has one row if a session waits for a lock of a row or a table. */
  protected abstract String waiting();

  /** Kills the session that waits. */
  protected abstract void killWaiting(TargetLab lab) throws SQLException;

  @BeforeEach
  void open() throws SQLException {
    lab = newDatabase();
    createItems(lab);
    applier = lab.applier(0);
  }

  @AfterEach
  void close() throws SQLException {
    applier.close();
    lab.close();
  }

  private List<String> items() throws SQLException {
    return lab.rows("SELECT * FROM dst.item ORDER BY id");
  }

  private ClosedWindow window(NetChange... changes) {
    return lab.window(net(keyed(ITEM, changes)));
  }

  private long appliedOffset() {
    return lab.store().read("task").orElseThrow().nextOffset();
  }

  @Test
  void rowsAndTheCheckpointCommitTogether() throws SQLException {
    lab.apply(applier, window(insert(row("1", "10", "a"))));
    long before = appliedOffset();
    assertThatThrownBy(
            () -> applier.apply(window(insert(row("2", "20", "b")), insert(row("3", "10", "c")))))
        .isInstanceOf(SluiceException.Data.class);
    assertThat(items()).containsExactly("1|10|a");
    assertThat(appliedOffset()).isEqualTo(before);
  }

  @Test
  void aCommittedWindowMovesTheCheckpoint() throws SQLException {
    long before = appliedOffset();
    applier.apply(window(insert(row("1", "10", "a"))));
    assertThat(items()).containsExactly("1|10|a");
    assertThat(appliedOffset()).isGreaterThan(before);
  }

  /** Below and above the size from which a set is staged. */
  @ParameterizedTest
  @ValueSource(ints = {2, LARGE})
  void changesOfRowsThatAreNotThereAreCounted(int rows) throws SQLException {
    lab.apply(applier, lab.window(net(new TableChanges.Keyed(ITEM, inserts(1, rows)))));
    List<NetChange> updates = new ArrayList<>();
    List<NetChange> deletes = new ArrayList<>();
    for (int id = 2; id <= rows + 1; id++) {
      updates.add(change(row("" + id), row("" + id, "" + id, "changed")));
      deletes.add(delete(row("" + id)));
    }
    for (List<NetChange> changes : List.of(updates, deletes)) {
      assertThatThrownBy(
              () -> lab.apply(applier, lab.window(net(new TableChanges.Keyed(ITEM, changes)))))
          .isInstanceOf(SluiceException.Data.class);
    }
    assertThat(items()).hasSize(rows).doesNotContain("2|2|changed");
  }

  /** Unique values go round in a ring, while keys change and rows come and go. */
  @ParameterizedTest
  @ValueSource(ints = {3, LARGE})
  void uniqueValuesAreExchangedBetweenRows(int rows) throws SQLException {
    lab.apply(applier, lab.window(net(new TableChanges.Keyed(ITEM, inserts(1, rows)))));
    List<NetChange> changes = new ArrayList<>();
    for (int id = 1; id <= rows; id++) {
      String code = "" + (id % rows + 1);
      String newId = "" + (id == 1 ? rows + 1 : id);
      changes.add(change(row("" + id), row(newId, code, "ring")));
    }
    applier.apply(lab.window(net(new TableChanges.Keyed(ITEM, changes))));
    assertThat(items())
        .hasSize(rows)
        .startsWith("2|3|ring")
        .contains(rows + "|1|ring")
        .endsWith((rows + 1) + "|2|ring");
  }

  @Test
  void aRejectedRowIsAnErrorOfItsData() {
    assertThatThrownBy(
            () ->
                applier.apply(
                    window(insert(row("1", "10", "a")), insert(row("2", "not a number", "b")))))
        .isInstanceOf(SluiceException.Data.class)
        .hasMessageContaining("not a number");
  }

  @Test
  void namesAreQuoted() throws SQLException {
    createOdd(lab);
    RowSchema odd =
        new RowSchema(
            new TableId("src", ODD),
            List.of(
                new Column("Key \"one\"", "int", false, true, ColumnOrigin.withNull(0)),
                new Column("group", "text", true, false, ColumnOrigin.withNull(0)),
                new Column("a'b", "int", true, false, ColumnOrigin.withNull(0))));
    lab.apply(
        applier,
        lab.window(net(keyed(odd, insert(row("1", "x", "7")), insert(row("2", "y", "8"))))));
    applier.apply(
        lab.window(net(keyed(odd, change(row("1"), row("1", "z", "8")), delete(row("2"))))));
    assertThat(oddRows(lab)).containsExactly("1|z|8");
  }

  /** Texts that a bulk format or a literal must escape. */
  @ParameterizedTest
  @ValueSource(ints = {1, LARGE})
  void everyTextArrivesAsItIs(int rows) throws SQLException {
    List<String> texts =
        List.of(
            "", " ", "\\N", "NULL", "\\", "\\.", "\t", "\n", "\r\n", "'", "\"", "{}", ",", "é😀");
    List<NetChange> changes = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int id = 0; id < Math.max(rows, texts.size() + 1); id++) {
      String text = id < texts.size() ? texts.get(id) : null;
      changes.add(insert(row("" + id, null, text)));
      expected.add(id + "|null|" + text);
    }
    applier.apply(lab.window(net(new TableChanges.Keyed(ITEM, changes))));
    assertThat(items()).isEqualTo(expected);
  }

  @Test
  void aSessionOfAnEarlierClaimCommitsNothing() throws SQLException {
    Checkpoint later = lab.store().claim("task");
    assertThatThrownBy(() -> applier.apply(window(insert(row("1", "10", "a")))))
        .isInstanceOf(SluiceException.class);
    assertThat(items()).isEmpty();
    try (BatchApplier next =
        lab.applier(lab.server(), later, new ApplySettings(TargetLab.STOPPING))) {
      next.apply(window(insert(row("1", "10", "a"))));
    }
    assertThat(items()).containsExactly("1|10|a");
  }

  @Test
  void aWindowWhoseCommitWasNotAnsweredIsNotAppliedTwice() throws Exception {
    try (Relay relay = new Relay(lab.port());
        BatchApplier through = through(relay)) {
      prepare(through);
      ClosedWindow window = window(insert(row("1", "10", "a")));
      relay.harmAt(commit(), Harm.BREAK_AFTER);
      assertThatThrownBy(() -> through.apply(window)).isInstanceOf(SluiceException.Retryable.class);
      assertThat(relay.hasHarmed()).isTrue();
      assertThat(items()).containsExactly("1|10|a");
      assertThat(through.apply(window).tables())
          .containsEntry(ITEM.table(), new TableCounters(1, 0, 0, 0));
      through.apply(window(insert(row("2", "20", "b"))));
      assertThat(items()).containsExactly("1|10|a", "2|20|b");
    }
  }

  @Test
  void aWindowWhoseCommitNeverArrivedIsAppliedAgain() throws Exception {
    try (Relay relay = new Relay(lab.port());
        BatchApplier through = through(relay)) {
      prepare(through);
      ClosedWindow window = window(insert(row("1", "10", "a")));
      relay.harmAt(commit(), Harm.BREAK_BEFORE);
      assertThatThrownBy(() -> through.apply(window)).isInstanceOf(SluiceException.Retryable.class);
      assertThat(items()).isEmpty();
      through.apply(window);
      assertThat(items()).containsExactly("1|10|a");
    }
  }

  private void prepare(BatchApplier through) {
    if (commitsBeforeItsFirstWindow()) {
      lab.apply(through, window(insert(row("9", "90", "gone"))));
      lab.apply(through, window(delete(row("9"))));
    }
  }

  private BatchApplier through(Relay relay) {
    return lab.applier(lab.serverAt(relay.port()), lab.store().claim("task"), 0);
  }

  @Test
  void aSessionThatIsBrokenOffCommitsNothingAndReleasesItsLocks() throws Exception {
    applier.apply(window(insert(row("1", "10", "a"))));
    ClosedWindow window =
        window(insert(row("2", "20", "b")), change(row("1"), row("1", "10", "c")));
    CompletableFuture<AppliedWindow> blocked = blocked(window);
    Awaitility.await().atMost(TIMEOUT).until(() -> !lab.rows(waiting()).isEmpty());
    applier.breakOff();
    assertThatThrownBy(blocked::join).hasCauseInstanceOf(SluiceException.Retryable.class);
    if (!noticesLostClients()) {
      lab.sql.rollback();
    }
    // It would wait for the row that the broken session has locked.
    assertThat(lab.store().claim("task").place()).isEqualTo(window.start());
    lab.sql.rollback();
    assertThat(items()).containsExactly("1|10|a");
  }

  @Test
  void aKilledSessionLeavesNoPartOfAWindow() throws Exception {
    applier.apply(window(insert(row("1", "10", "a"))));
    ClosedWindow window =
        window(insert(row("2", "20", "b")), change(row("1"), row("1", "10", "c")));
    CompletableFuture<AppliedWindow> blocked = blocked(window);
    Awaitility.await().atMost(TIMEOUT).until(() -> !lab.rows(waiting()).isEmpty());
    killWaiting(lab);
    assertThatThrownBy(blocked::join).hasCauseInstanceOf(SluiceException.Retryable.class);
    lab.sql.rollback();
    lab.sql.setAutoCommit(true);
    assertThat(items()).containsExactly("1|10|a");
    applier.apply(window);
    assertThat(items()).containsExactly("1|10|c", "2|20|b");
  }

  /** Applies a window that waits for a row, which another session has locked. */
  private CompletableFuture<AppliedWindow> blocked(ClosedWindow window) throws SQLException {
    lab.sql.setAutoCommit(false);
    lab.run("UPDATE dst.item SET note = 'locked' WHERE id = 1");
    return CompletableFuture.supplyAsync(() -> applier.apply(window));
  }

  @Test
  void anEarlierOwnerIsFenced() throws SQLException {
    try (BatchApplier next = lab.applier(0)) {
      ClosedWindow window = window(insert(row("1", "10", "a")));
      assertThatThrownBy(() -> applier.apply(window)).isInstanceOf(SluiceException.Fenced.class);
      assertThatThrownBy(applier::makeDurable).isInstanceOf(SluiceException.Fenced.class);
      next.apply(window);
      next.makeDurable();
    }
    assertThat(items()).containsExactly("1|10|a");
    Checkpoint checkpoint = lab.store().read("task").orElseThrow();
    assertThat(checkpoint.durable()).isEqualTo(checkpoint.position());
  }

  /** By an update in place, by a delete and an insert, and by a change of the key. */
  @ParameterizedTest
  @ValueSource(ints = {1, STAGED})
  void valuesThatTheLogDoesNotRepeatAndThoseOfTheTargetAreKept(int rows) throws SQLException {
    createKept(lab);
    RowSchema kept = schema("kept", "*id int", "code int", "wide text");
    List<NetChange> inserts = new ArrayList<>();
    List<NetChange> changes = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      int id = 10 * i;
      for (int kind = 0; kind < 4; kind++) {
        inserts.add(insert(row("" + (id + kind), "" + (id + kind), "wide " + kind)));
      }
      changes.add(change(row("" + id), toasted("" + id, "" + id, "new")));
      changes.add(change(row("" + (id + 1)), toasted("" + (id + 1), "" + -(id + 1), "~")));
      changes.add(change(row("" + (id + 2)), toasted("" + (id + 5), "" + (id + 2), "~")));
      changes.add(change(row("" + (id + 3)), toasted("" + (id + 3), "" + (id + 3), "~")));
      expected.add(id + "|" + id + "|new|mine");
      expected.add((id + 1) + "|" + -(id + 1) + "|wide 1|mine");
      expected.add((id + 3) + "|" + (id + 3) + "|wide 3|mine");
      expected.add((id + 5) + "|" + (id + 2) + "|wide 2|mine");
    }
    applier.apply(lab.window(net(new TableChanges.Keyed(kept, inserts))));
    lab.run("UPDATE dst.kept SET mine = 'mine'");
    applier.apply(lab.window(net(new TableChanges.Keyed(kept, changes))));
    assertThat(lab.rows("SELECT id, code, wide, mine FROM dst.kept ORDER BY id"))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, STAGED})
  void keysThatDifferInCaseBlanksOrAccentsAreDifferentKeys(int rows) throws SQLException {
    createWords(lab);
    RowSchema words = schema("word", "*word text", "n int");
    List<NetChange> inserts = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      for (String word : List.of("a", "A", "ä", "a!")) {
        inserts.add(insert(row(word + i, "0")));
      }
    }
    lab.apply(applier, lab.window(net(new TableChanges.Keyed(words, inserts))));
    for (String missing : List.of("B0", "a0 ", "Ä0")) {
      assertThatThrownBy(
              () -> lab.apply(applier, lab.window(net(keyed(words, delete(row(missing)))))))
          .isInstanceOf(SluiceException.Data.class);
      assertThatThrownBy(
              () ->
                  lab.apply(
                      applier, ordered(new RowChange(words, row(missing), row(missing, "1")))))
          .isInstanceOf(SluiceException.Data.class);
    }
    lab.apply(
        applier,
        lab.window(net(keyed(words, delete(row("a0")), change(row("A0"), row("A0", "1"))))));
    applier.apply(ordered(new RowChange(words, row("ä0"), row("ä0", "2"))));
    assertThat(lab.rows("SELECT word, n FROM dst.word WHERE word LIKE '_0' OR word LIKE 'a!0'"))
        .containsExactlyInAnyOrder("A0|1", "ä0|2", "a!0|0");
  }

  @Test
  void emptyingATableIsPartOfTheWindow() throws SQLException {
    lab.apply(applier, window(insert(row("1", "10", "a"))));
    List<Emptied> emptied = List.of(new Emptied(ITEM.table(), null));
    assertThatThrownBy(
            () ->
                lab.apply(
                    applier,
                    lab.window(
                        new Round.Net(
                            emptied,
                            List.of(
                                keyed(
                                    ITEM,
                                    insert(row("2", "20", "b")),
                                    insert(row("3", "20", "c"))))))))
        .isInstanceOf(SluiceException.Data.class);
    assertThat(items()).containsExactly("1|10|a");
    applier.apply(
        lab.window(new Round.Net(emptied, List.of(keyed(ITEM, insert(row("2", "10", "b")))))));
    assertThat(items()).containsExactly("2|10|b");
  }

  @Test
  void changesAreAppliedInTheirOrder() throws SQLException {
    String text = "'\\\t\"{},é😀\n?";
    applier.apply(
        ordered(
            new RowChange(ITEM, null, row("1", "10", text)),
            new RowChange(ITEM, null, row("2", "20", null)),
            new RowChange(ITEM, row("1"), row("1", null, text)),
            new RowChange(ITEM, row("2"), toasted("2", "10", "~")),
            new RowChange(ITEM, row("1"), toasted("3", "20", "~")),
            new RowChange(ITEM, null, row("1", "30", "")),
            new RowChange(ITEM, row("1"), null)));
    assertThat(items()).containsExactly("2|10|null", "3|20|" + text);
    for (RowChange missing :
        List.of(
            new RowChange(ITEM, row("9"), row("9", "1", "x")),
            new RowChange(ITEM, row("9"), null))) {
      assertThatThrownBy(() -> lab.apply(applier, ordered(missing)))
          .isInstanceOf(SluiceException.Data.class);
    }
    assertThatThrownBy(
            () -> lab.apply(applier, ordered(new RowChange(ITEM, null, row("4", "20", "x")))))
        .isInstanceOf(SluiceException.Data.class);
    assertThat(items()).containsExactly("2|10|null", "3|20|" + text);
  }

  private ClosedWindow ordered(RowChange... changes) {
    return lab.window(new Round.Ordered(List.of(), List.of(changes)));
  }

  @Test
  void onlyTheRejectedChangesOfAWindowAreLeftOut() throws SQLException {
    TaskSettings logging =
        TaskSettings.DEFAULTS
            .with(ErrorBehavior.DATA_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.DATA_TRUNCATION_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, ErrorAction.LOG_ERROR);
    lab.run("ALTER TABLE dst.item ADD CONSTRAINT code_is_above_zero CHECK (code > 0)");
    try (BatchApplier tolerant = lab.applier(logging)) {
      List<ChangeEvent> changes = new ArrayList<>();
      for (int id = 1; id <= 20; id++) {
        changes.add(new RowChange(ITEM, null, row("" + id, "" + id, "n")));
      }
      changes.add(new RowChange(ITEM, null, row("34", "-1", "only the server refuses it")));
      changes.add(3, new RowChange(ITEM, null, row("30", "x", "bad")));
      changes.add(9, new RowChange(ITEM, null, row("31", "1", "its code is there")));
      changes.add(12, new RowChange(ITEM, row("32"), row("32", "32", "is not there")));
      changes.add(15, new RowChange(ITEM, null, row("33", "33", "n".repeat(1001))));
      AppliedWindow applied = tolerant.apply(lab.windowOf(List.of(changes)));
      assertThat(items()).hasSize(20).startsWith("1|1|n").endsWith("20|20|n");
      assertThat(applied.errors().get(ITEM.table()).conflicts()).isEqualTo(5);
    }
    assertThat(lab.rows("SELECT kind FROM sluice_control.sluice_apply_exceptions ORDER BY id"))
        .containsExactly("DATA", "INSERT", "UPDATE", "TRUNCATION", "DATA");
  }

  private static List<NetChange> inserts(int from, int to) {
    List<NetChange> inserts = new ArrayList<>();
    for (int id = from; id <= to; id++) {
      inserts.add(insert(row("" + id, "" + id, "n")));
    }
    return inserts;
  }
}
