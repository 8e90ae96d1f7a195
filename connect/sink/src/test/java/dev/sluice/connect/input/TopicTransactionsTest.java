package dev.sluice.connect.input;

import static dev.sluice.sink.JournalScript.ITEMS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.connect.envelope.DebeziumRecord.End;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.Message;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.Skipped;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.sink.intake.Intake;
import dev.sluice.sink.intake.IntakeResult;
import dev.sluice.sink.intake.IntakeResult.Dropped;
import dev.sluice.sink.intake.IntakeResult.Part;
import dev.sluice.sink.intake.IntakeResult.Whole;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TopicTransactionsTest {
  private static final String COLLECTION = "shop.items";
  private static final JournalOffset START = new JournalOffset(new Position(100), 4, 7, 50);

  private final Intake intake = new Intake(START);
  private final List<String> applied = new ArrayList<>();
  private final List<Long> offsets = new ArrayList<>();
  private final List<String> open = new ArrayList<>();
  private TopicTransactions assembler = new TopicTransactions(START, false, this::judge);
  private long offset = 50;

  @Test
  void transactionsAreReturnedCompleteInOrder() {
    take(begin(1), insert(1, 1, "a"), insert(1, 2, "b"), end(1, 110, 2));
    take(begin(2), insert(2, 1, "c"));
    assertThat(applied).containsExactly("110: +a +b");
    take(end(2, 120, 1));
    assertThat(applied).containsExactly("110: +a +b", "120: +c");
    assertThat(offsets).containsExactly(54L, 57L);
  }

  @Test
  void aTransactionThatComesASecondTimeIsAppliedOnce() {
    take(begin(1), insert(1, 1, "a"), end(1, 110, 1));
    take(begin(1), insert(1, 1, "a"), end(1, 110, 1), end(1, 110, 1));
    take(insert(1, 1, "a"), end(1, 110, 1));
    take(begin(2), insert(2, 1, "b"), end(2, 120, 1));
    assertThat(applied).containsExactly("110: +a", "120: +b");
  }

  @Test
  void eventsThatComeASecondTimeInTheMidstAreAppliedOnce() {
    take(begin(1), insert(1, 1, "a"), insert(1, 2, "b"));
    take(insert(1, 2, "b"), insert(1, 3, "c"));
    take(begin(1), insert(1, 1, "a"), insert(1, 2, "b"), insert(1, 3, "c"), end(1, 110, 3));
    assertThat(applied).containsExactly("110: +a +b +c");
  }

  @Test
  void aTransactionThatBrokeOffIsAppliedWhenItComesAgain() {
    take(begin(1), insert(1, 1, "a"), end(1, 110, 1));
    take(begin(2), insert(2, 1, "b"));
    take(begin(1), insert(1, 1, "a"), end(1, 110, 1));
    take(begin(2), insert(2, 1, "b"), insert(2, 2, "c"), end(2, 120, 2));
    assertThat(applied).containsExactly("110: +a", "120: +b +c");
  }

  @Test
  void aRepetitionThatBrokeOffIsNotMissed() {
    take(begin(1), insert(1, 1, "a"), end(1, 110, 1));
    take(begin(2), insert(2, 1, "b"), end(2, 120, 1));
    take(begin(2), insert(2, 1, "b"));
    take(begin(1), insert(1, 1, "a"), end(1, 110, 1));
    take(begin(2), insert(2, 1, "b"), end(2, 120, 1));
    take(begin(3), insert(3, 1, "c"), end(3, 130, 1));
    assertThat(applied).containsExactly("110: +a", "120: +b", "130: +c");
  }

  @Test
  void aTransactionThatBrokeOffAndDoesNotComeAgainIsMissed() {
    take(begin(2), insert(2, 1, "b"));
    take(begin(3), insert(3, 1, "c"));
    assertThatThrownBy(() -> take(end(3, 130, 1)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("transaction 2, which broke off before, has not come again");
    assertThat(applied).isEmpty();
  }

  @Test
  void aTransactionThatLacksAnEventIsNotAppliedInPart() {
    take(begin(1), insert(1, 1, "a"), insert(1, 3, "c"));
    assertThatThrownBy(() -> take(end(1, 110, 3)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("has 2 events: {shop.items=2}")
        .hasMessageContaining("3 events: {shop.items=3}");
    assertThat(applied).isEmpty();
  }

  @Test
  void aTransactionOfWhichNothingCameIsMissedToo() {
    assertThatThrownBy(() -> take(begin(1), end(1, 110, 2)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("has 0 events");
  }

  @Test
  void theHalvesOfAKeysChangeArePutTogetherSoThatUnchangedValuesStay() {
    Row unchanged = new RowBuilder(16).add("2").addUnchanged().build();
    take(
        begin(1),
        event(1, 1, key(1), null, KeyChange.OLD_KEY),
        new Skipped("tombstone"),
        event(1, 2, null, unchanged, KeyChange.NEW_KEY),
        end(1, 110, 2));
    assertThat(applied).containsExactly("110: (\'1\')->(\'2\', unchanged)");
  }

  @Test
  void halvesThatDoNotBelongTogetherAreADeleteAndAnInsert() {
    take(
        begin(1),
        event(1, 1, key(1), null, KeyChange.OLD_KEY),
        insert(1, 2, "b"),
        event(1, 3, null, RowBuilder.rowOf("3", "c"), KeyChange.NEW_KEY),
        event(1, 4, key(5), null, KeyChange.OLD_KEY),
        end(1, 110, 4));
    assertThat(applied).containsExactly("110: -(\'1\') +b +c -(\'5\')");
  }

  @Test
  void aNewKeyWithoutItsOldRowIsRejectedIfValuesAreUnchanged() {
    Row unchanged = new RowBuilder(16).add("2").addUnchanged().build();
    assertThatThrownBy(() -> take(begin(1), event(1, 1, null, unchanged, KeyChange.NEW_KEY)))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("got a new key");
  }

  @Test
  void theTablesOfOneTruncateAreEmptiedTogether() {
    take(
        begin(1),
        truncate(1, 1, 500, "orders"),
        truncate(1, 2, 500, "lines"),
        truncate(1, 3, 600, "items"),
        end(1, 110, 3, Map.of("shop.orders", 1L, "shop.lines", 1L, "shop.items", 1L)));
    assertThat(applied).containsExactly("110: x[shop.orders, shop.lines] x[shop.items]");
  }

  @Test
  void messagesCountAndDoNothing() {
    take(
        begin(1),
        new Message(new Membership("1", 1, null, Position.ZERO)),
        insert(1, 2, "a"),
        end(1, 110, 2, Map.of(COLLECTION, 1L, "x.LogicalDecodingMessageId@1f", 1L)),
        new Message(null));
    assertThat(applied).containsExactly("110: +a");
  }

  @Test
  void rowsOfASnapshotAreAppliedBeforeWhatFollowsThem() {
    take(snapshot("a", true, false), snapshot("b", false, false));
    assertThat(applied).isEmpty();
    take(begin(1), insert(1, 1, "c"), end(1, 110_000, 1));
    assertThat(applied).containsExactly("101: +a +b", "110000: +c");
    assertThat(offsets).containsExactly(52L, 55L);
  }

  @Test
  void aSnapshotThatComesLateTakesNoPositionOfATransactionThatFollows() {
    long position = 0x5000000;
    take(begin(1), insert(1, 1, "a"), end(1, position, 1));
    for (int i = 0; i < 45_000; i++) {
      take(snapshot("s", i == 0, false));
    }
    take(begin(2), insert(2, 1, "b"), end(2, position + 8, 1));
    assertThat(applied).hasSize(3);
    assertThat(applied.get(1)).startsWith(position + 1 + ": +s +s ");
    assertThat(applied.get(2)).isEqualTo(position + 8 + ": +b");
  }

  @Test
  void aTableIsEmptiedBeforeItsSnapshotOnlyWhereThatIsAsked() {
    assembler = new TopicTransactions(START, true, this::judge);
    take(snapshot("a", true, false), snapshot("b", false, true));
    take(snapshot("a", true, false), snapshot("b", false, true));
    assertThat(applied).containsExactly("101: x[shop.items] +a +b", "102: x[shop.items] +a +b");
  }

  @Test
  void eventsWithoutTheirTransactionAreRefused() {
    RowEvent event = new RowEvent(null, 1, ITEMS, null, RowBuilder.rowOf("1", "a"), KeyChange.NONE);
    assertThatThrownBy(() -> take(event))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("provide.transaction.metadata=true");
  }

  private void take(DebeziumRecord... records) {
    for (DebeziumRecord record : records) {
      assembler.take(record, offset++);
    }
  }

  /** As the pipeline does with entries. */
  private void judge(JournalEntry entry) {
    IntakeResult result = intake.take(entry);
    if (result instanceof Part part) {
      add((Frame) part.record(), part.first());
    } else if (result instanceof Whole whole) {
      add(whole.record(), whole.first());
      applied.add(whole.end().position().low() + ": " + String.join(" ", open));
      offsets.add(whole.nextOffset());
      open.clear();
    } else if (result instanceof Dropped dropped && dropped.discardsOpen()) {
      open.clear();
    }
  }

  private void add(Frame frame, boolean first) {
    if (first) {
      open.clear();
    }
    ChangeCursor changes = frame.changes(fingerprint -> ITEMS);
    while (changes.next()) {
      open.add(shown(changes.change()));
    }
  }

  private static String shown(ChangeEvent event) {
    if (event instanceof Truncate truncate) {
      return "x" + truncate.tables().stream().map(emptied -> emptied.table().toString()).toList();
    }
    RowChange change = (RowChange) event;
    if (change.match() == null) {
      return "+" + change.row().text(1);
    }
    return change.row() == null ? "-" + change.match() : change.match() + "->" + change.row();
  }

  private static Begin begin(long xid) {
    return new Begin(Long.toString(xid));
  }

  private static End end(long xid, long position, long events) {
    return end(xid, position, events, Map.of(COLLECTION, events));
  }

  private static End end(long xid, long position, long events, Map<String, Long> counts) {
    return new End(Long.toString(xid), new Position(position), events, counts, 0);
  }

  private static RowEvent insert(long xid, long order, String name) {
    return event(xid, order, null, RowBuilder.rowOf(Long.toString(order), name), KeyChange.NONE);
  }

  private static RowEvent event(long xid, long order, Row match, Row row, KeyChange half) {
    return new RowEvent(
        new Membership(Long.toString(xid), order, COLLECTION, Position.ZERO),
        xid,
        ITEMS,
        match,
        row,
        half);
  }

  private static Truncated truncate(long xid, long order, long lsn, String table) {
    return new Truncated(
        new Membership(Long.toString(xid), order, "shop." + table, Position.ZERO),
        lsn,
        new TableId("shop", table));
  }

  private static SnapshotRow snapshot(String name, boolean first, boolean last) {
    return new SnapshotRow(ITEMS, RowBuilder.rowOf("1", name), first, last, 0);
  }

  private static Row key(long id) {
    return RowBuilder.rowOf(Long.toString(id));
  }
}
