package dev.sluice.sink.touched;

import static dev.sluice.connector.api.RowBuilder.rowOf;
import static dev.sluice.sink.JournalScript.ITEMS;
import static dev.sluice.sink.JournalScript.SCHEMAS;
import static dev.sluice.sink.JournalScript.delete;
import static dev.sluice.sink.JournalScript.insert;
import static dev.sluice.sink.JournalScript.move;
import static dev.sluice.sink.JournalScript.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.sink.JournalScript;
import dev.sluice.sink.Tunings;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.sorter.MemoryBudget;
import dev.sluice.sink.sorter.Sorter;
import dev.sluice.sink.sorter.SwapDisk;
import dev.sluice.sink.sorter.SwapFullException;
import dev.sluice.sink.sorter.SwapSpace;
import dev.sluice.sink.window.FilledWindow;
import dev.sluice.sink.window.OpenWindow;
import dev.sluice.sink.window.policy.CloseReason;
import dev.sluice.sink.window.policy.WindowTuning;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TouchedKeysTest {
  private static final TableId TABLE = ITEMS.table();
  private static final VisibleTransactions NOTHING = VisibleTransactions.parse("100:100:");
  private static final TouchedLimits LIMITS =
      new TouchedLimits(1000, DataSize.ofMebibytes(1), DataSize.ofMebibytes(2));

  private final TouchedKeys touched = new TouchedKeys(LIMITS);

  @TempDir Path directory;

  @BeforeEach
  void complete() {
    touched.completeFrom(100);
  }

  @Test
  void theOldAndTheNewKeyOfARowAreKept() {
    record(1, 101, insert(1, "a"), update(2, "b"), move(3, 4, "c"), delete(5));
    assertThat(leftOut(NOTHING, 1))
        .containsExactlyInAnyOrder(rowOf("1"), rowOf("2"), rowOf("3"), rowOf("4"), rowOf("5"));
  }

  @Test
  void whatTheTargetDoesNotHaveYetIsNotLeftOut() {
    record(1, 101, insert(1, "a"));
    record(2, 102, insert(2, "a"));
    assertThat(leftOut(NOTHING, 1)).containsExactly(rowOf("1"));
  }

  @Test
  void aTransactionIsLeftOutByItsIdAndNotByItsPosition() {
    record(1, 102, insert(1, "a"));
    record(2, 101, insert(2, "a"));
    VisibleTransactions snapshot = VisibleTransactions.parse("102:103:102");
    assertThat(leftOut(snapshot, 2)).containsExactly(rowOf("1"));
  }

  @Test
  void aTransactionWithoutAnIdIsLeftOutOfAnySnapshot() {
    record(1, 0, insert(1, "a"));
    VisibleTransactions snapshot = VisibleTransactions.parse("200:200:");
    touched.shownBy(snapshot);
    assertThat(leftOut(snapshot, 1)).containsExactly(rowOf("1"));
  }

  @Test
  void noSnapshotIsAnsweredWhileATransactionOfBeforeTheRecordingRuns() {
    assertThat(touched.covers(VisibleTransactions.parse("99:120:99"))).isFalse();
    assertThat(touched.notShown(TABLE, VisibleTransactions.parse("99:120:99"), Position.MAX))
        .isInstanceOf(NotShown.Unknown.class);
    assertThat(touched.covers(NOTHING)).isTrue();
  }

  @Test
  void noSnapshotIsAnsweredBeforeItIsKnownFromWhereTheRecordIsComplete() {
    TouchedKeys begun = new TouchedKeys(LIMITS);
    assertThat(begun.covers(VisibleTransactions.parse("200:200:"))).isFalse();
    begun.completeFrom(200);
    assertThat(begun.covers(VisibleTransactions.parse("200:200:"))).isTrue();
  }

  @Test
  void anEarlierSnapshotThanTheOneThatWasForgottenWithIsNotAnswered() {
    record(1, 101, insert(1, "a"));
    VisibleTransactions earlier = VisibleTransactions.parse("101:102:101");
    assertThat(leftOut(earlier, 1)).containsExactly(rowOf("1"));
    touched.shownBy(VisibleTransactions.parse("102:102:"));
    assertThat(touched.notShown(TABLE, earlier, Position.MAX)).isInstanceOf(NotShown.Unknown.class);
    assertThat(leftOut(VisibleTransactions.parse("102:102:"), 1)).isEmpty();
  }

  @Test
  void aTruncateVoidsWhatWasReadBeforeIt() {
    record(5, 101, new Truncate(List.of(new Emptied(TABLE, null))));
    assertThat(touched.voidedAfter(TABLE, new Position(4))).contains("it was truncated");
    assertThat(touched.voidedAfter(TABLE, new Position(5))).isEmpty();
    assertThat(uncompared(9).dirtySince()).contains(new Position(5));
  }

  @Test
  void ofATableWithoutAKeyItIsOnlyKnownThatRowsWereTouched() {
    RowSchema bag =
        new RowSchema(new TableId("s", "bag"), List.of(new Column("v", "text", true, false)));
    record(3, 101, new RowChange(bag, null, rowOf("a")));
    assertThat(touched.notShown(bag.table(), NOTHING, Position.MAX))
        .isInstanceOf(NotShown.Unknown.class);
    assertThat(touched.notShown(bag.table(), NOTHING, new Position(2)))
        .isEqualTo(new NotShown.Rows(TouchedRows.NONE));
    assertThat(touched.uncompared(bag.table(), 10, Position.MAX).dirtySince())
        .contains(new Position(3));
  }

  @Test
  void keysOfFormerColumnsAreNotMixedWithThoseOfOthers() {
    RowSchema renamed = new RowSchema(TABLE, List.of(new Column("number", "integer", false, true)));
    record(1, 101, insert(1, "a"));
    record(2, 102, new RowChange(renamed, null, rowOf("2")));
    assertThat(touched.notShown(TABLE, NOTHING, Position.MAX)).isInstanceOf(NotShown.Unknown.class);
    assertThat(uncompared(9).dirtySince()).contains(new Position(1));
    assertThat(uncompared(9).rows())
        .isEqualTo(new TouchedRows(List.of("number"), List.of(rowOf("2"))));
    assertThat(leftOut(VisibleTransactions.parse("102:102:"), 2)).containsExactly(rowOf("2"));
  }

  @Test
  void aPassThatLeftRowsOutDoesNotSufficeOnceTheirKeysAreForgotten() {
    RowSchema renamed = new RowSchema(TABLE, List.of(new Column("number", "integer", false, true)));
    // Its commit waits for a standby: no snapshot shows it, although the log is at 200 already.
    record(10, 101, insert(1, "a"));
    assertThat(leftOut(NOTHING, 200)).containsExactly(rowOf("1"));

    record(11, 102, new RowChange(renamed, null, rowOf("2")));
    touched.readAll(TABLE, new Position(200));

    assertThat(uncompared(300).dirtySince()).contains(new Position(201));
    touched.readAll(TABLE, new Position(201));
    assertThat(uncompared(300).dirtySince()).isEmpty();
  }

  @Test
  void aRowThatIsTouchedAgainMeanwhileIsStillToBeCompared() {
    record(1, 101, update(1, "a"), update(2, "a"));
    Uncompared taken = uncompared(1);
    record(2, 102, update(2, "b"));
    touched.compared(TABLE, taken.rows().keys(), new Position(1));
    assertThat(uncompared(9).rows().keys()).containsExactly(rowOf("2"));
    assertThat(uncompared(1).rows().keys()).isEmpty();
  }

  @Test
  void aRowThatIsLeftOutIsToBeComparedEvenIfItsKeyWasNotKeptForThat() {
    record(1, 101, insert(1, "a"));
    touched.compared(TABLE, List.of(rowOf("1")), new Position(1));
    assertThat(uncompared(9).rows().keys()).isEmpty();
    assertThat(leftOut(NOTHING, 1)).containsExactly(rowOf("1"));
    assertThat(uncompared(9).rows().keys()).containsExactly(rowOf("1"));
  }

  @Test
  void rowsThatNobodyAsksForDoNotFillTheMemory() {
    for (int i = 1; i <= 300_000; i++) {
      record(i, 100 + i, update(i % 3, "hot"), insert(i, "new"));
      assertThat(touched.memory()).isLessThan(LIMITS.ofAll().bytes());
    }
    Uncompared uncompared = uncompared(300_000);
    assertThat(uncompared.dirtySince()).isPresent();
    touched.readAll(TABLE, uncompared.dirtySince().get());
    assertThat(uncompared(300_000).dirtySince()).isEmpty();
    touched.shownBy(VisibleTransactions.parse("400000:400000:"));
    record(300_001, 400_000, insert(7, "later"));
    assertThat(leftOut(VisibleTransactions.parse("400000:400000:"), 300_001))
        .containsExactly(rowOf("7"));
  }

  @Test
  void ofATransactionWithTooManyRowsNothingIsAnsweredUntilItIsShown() {
    record(
        1, 101, IntStream.range(0, 5000).mapToObj(i -> insert(i, "a")).toArray(ChangeEvent[]::new));
    assertThat(touched.notShown(TABLE, NOTHING, Position.MAX)).isInstanceOf(NotShown.Unknown.class);
    assertThat(leftOut(VisibleTransactions.parse("102:102:"), 1)).isEmpty();
  }

  @Test
  void ofManyTablesTheLargestIsForgottenFirst() {
    TouchedKeys few =
        new TouchedKeys(new TouchedLimits(100, DataSize.ofMebibytes(9), DataSize.ofMebibytes(1)));
    for (int i = 0; i < 20_000; i++) {
      RowSchema schema =
          new RowSchema(new TableId("s", i % 100 == 0 ? "small" : "large"), ITEMS.columns());
      ChangeObserver observer = few.of(new TransactionEnd(1, new Position(i + 1), 0, 101 + i));
      observer.observe(new RowChange(schema, null, rowOf(String.valueOf(i), "a")));
      observer.complete();
    }
    assertThat(few.memory()).isLessThan(DataSize.ofMebibytes(1).bytes());
    assertThat(few.uncompared(new TableId("s", "large"), 1, Position.MAX).dirtySince()).isPresent();
    assertThat(few.uncompared(new TableId("s", "small"), 1, Position.MAX).dirtySince()).isEmpty();
  }

  @Test
  void aLargeTransactionIsRecordedOnceBeforeItsWindowIsApplied() throws SwapFullException {
    RowChange[] rows =
        IntStream.range(0, 100).mapToObj(i -> insert(i, "large")).toArray(RowChange[]::new);
    JournalScript script = new JournalScript().term(1, 0);
    List<JournalEntry> entries = script.identified(10, 101, rows).next();
    WindowTuning batch = Tunings.batch();
    WindowTuning small =
        new WindowTuning(
            true,
            batch.times(),
            DataSize.ofKibibytes(1),
            0,
            1,
            batch.durableCommitInterval(),
            batch.tables());
    OpenWindow window =
        new OpenWindow(SCHEMAS, small, JournalOffset.beginning(Position.ZERO), touched);
    assertThat(window.take(committed(entries), Instant.EPOCH)).as("it is large").isTrue();
    assertThat(leftOut(NOTHING, 10)).hasSize(100);

    FilledWindow filled = window.close(CloseReason.MEMORY, Instant.EPOCH);
    touched.shownBy(VisibleTransactions.parse("102:102:"));
    for (int attempt = 0; attempt < 2; attempt++) {
      try (var rounds = filled.window().rounds().get()) {
        while (rounds.next() != null) {}
      }
    }
    assertThat(touched.memory()).isLessThan(20_000);
    touched.compared(TABLE, uncompared(10).rows().keys(), new Position(10));
    assertThat(uncompared(10).all()).isZero();
  }

  private CommittedTransaction committed(List<JournalEntry> entries) throws SwapFullException {
    Sorter sorter =
        new Sorter(
            new MemoryBudget("test", DataSize.ofMebibytes(1)),
            Duration.ofMinutes(1),
            new SwapSpace(directory, DataSize.ofMebibytes(1), SwapDisk.LOCAL),
            SCHEMAS,
            Lane.WHOLE);
    for (JournalEntry entry : entries) {
      JournalRecord record = JournalRecord.parse(entry.value());
      if (record instanceof Frame frame) {
        sorter.add(frame, entry.value(), Instant.EPOCH);
        if (frame.end() != null) {
          return sorter.commit(frame, frame.end(), entry.offset() + 1);
        }
      }
    }
    throw new AssertionError("no end");
  }

  private void record(long position, long id, ChangeEvent... changes) {
    ChangeObserver observer = touched.of(new TransactionEnd(1, new Position(position), 0, id));
    for (ChangeEvent change : changes) {
      observer.observe(change);
    }
    observer.complete();
  }

  private List<Row> leftOut(VisibleTransactions snapshot, long upTo) {
    NotShown answer = touched.notShown(TABLE, snapshot, new Position(upTo));
    assertThat(answer).isInstanceOf(NotShown.Rows.class);
    return ((NotShown.Rows) answer).rows().keys();
  }

  private Uncompared uncompared(long upTo) {
    return touched.uncompared(TABLE, 1_000_000, new Position(upTo));
  }
}
