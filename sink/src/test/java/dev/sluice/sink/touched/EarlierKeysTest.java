package dev.sluice.sink.touched;

import static dev.sluice.connector.api.RowBuilder.rowOf;
import static dev.sluice.sink.JournalScript.ITEMS;
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
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.sink.lane.ChangeObserver;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys that are read again from the journal, beside those that are recorded meanwhile. */
class EarlierKeysTest {
  private static final TableId TABLE = ITEMS.table();
  private static final VisibleTransactions NOTHING = VisibleTransactions.parse("100:100:");

  private final TouchedKeys touched =
      new TouchedKeys(new TouchedLimits(1000, DataSize.ofMebibytes(1), DataSize.ofMebibytes(2)));
  private final EarlierKeys earlier = touched.earlier();

  @BeforeEach
  void complete() {
    touched.completeFrom(100);
  }

  @Test
  void eachOldAndNewKeyIsToBeComparedAndNoneIsLeftOut() {
    add(1, insert(1, "a"));
    add(2, update(2, "b"));
    add(3, move(3, 4, "c"));
    add(4, delete(5));
    assertThat(uncompared().rows())
        .isEqualTo(
            new TouchedRows(
                List.of("id"),
                List.of(rowOf("1"), rowOf("2"), rowOf("3"), rowOf("4"), rowOf("5"))));
    assertThat(touched.notShown(TABLE, NOTHING, Position.MAX))
        .isEqualTo(new NotShown.Rows(TouchedRows.NONE));
    assertThat(touched.oldestUncompared(TABLE)).contains(new Position(1));
    assertThat(earlier.lost()).isEmpty();
    assertThat(earlier.voided()).isEmpty();
  }

  @Test
  void aLaterChangeOfTheSameRowStillCounts() {
    record(9, 101, update(1, "later"));
    add(3, update(1, "earlier"));
    touched.compared(TABLE, List.of(rowOf("1")), new Position(8));
    assertThat(uncompared().all()).isEqualTo(1);
    assertThat(touched.oldestUncompared(TABLE)).contains(new Position(9));
    touched.compared(TABLE, List.of(rowOf("1")), new Position(9));
    assertThat(uncompared().all()).isZero();
    assertThat(touched.oldestUncompared(TABLE)).isEmpty();
  }

  @Test
  void aRowThatWasComparedMeanwhileIsComparedOnceMore() {
    record(9, 101, update(1, "later"));
    touched.compared(TABLE, List.of(rowOf("1")), new Position(9));
    add(3, update(1, "earlier"));
    assertThat(uncompared().rows().keys()).containsExactly(rowOf("1"));
  }

  @Test
  void aTruncateAndARowWithoutAKeyVoidWhatWasComparedBefore() {
    RowSchema bag =
        new RowSchema(new TableId("s", "bag"), List.of(new Column("v", "text", true, false)));
    add(3, new Truncate(List.of(new Emptied(TABLE, null))));
    add(7, new RowChange(bag, null, rowOf("a")));
    add(5, new RowChange(bag, null, rowOf("a")));
    assertThat(earlier.voided())
        .isEqualTo(Map.of(TABLE, new Position(3), bag.table(), new Position(7)));
  }

  @Test
  void keysOfFormerColumnsAreLost() {
    RowSchema renamed = new RowSchema(TABLE, List.of(new Column("number", "integer", false, true)));
    record(9, 101, new RowChange(renamed, null, rowOf("2")));
    add(3, update(1, "a"));
    assertThat(earlier.lost()).containsExactly(TABLE);
    assertThat(uncompared().rows().keys()).containsExactly(rowOf("2"));
  }

  @Test
  void moreKeysThanAreKeptAreLostAndTheTableIsReadAgainFromTheLastOnesOn() {
    for (int i = 1; i <= 100_000; i++) {
      add(i, insert(i, "a"));
      assertThat(touched.memory()).isLessThan(DataSize.ofMebibytes(2).bytes());
    }
    assertThat(earlier.lost()).containsExactly(TABLE);
    Position dirty = uncompared().dirtySince().orElseThrow();
    assertThat(dirty).isGreaterThan(new Position(1000));
    // A pass that had begun before does not suffice.
    touched.readAll(TABLE, new Position(1000));
    assertThat(uncompared().dirtySince()).isPresent();
    touched.readAll(TABLE, dirty);
    assertThat(uncompared().dirtySince()).isEmpty();
  }

  private void add(long position, ChangeEvent event) {
    earlier.add(new Position(position), event);
  }

  private void record(long position, long id, ChangeEvent... changes) {
    ChangeObserver observer = touched.of(new TransactionEnd(1, new Position(position), 0, id));
    for (ChangeEvent change : changes) {
      observer.observe(change);
    }
    observer.complete();
  }

  private Uncompared uncompared() {
    return touched.uncompared(TABLE, 1_000_000, Position.MAX);
  }
}
