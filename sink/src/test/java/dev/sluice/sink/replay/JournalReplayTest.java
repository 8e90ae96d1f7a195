package dev.sluice.sink.replay;

import static dev.sluice.sink.JournalScript.ITEMS;
import static dev.sluice.sink.JournalScript.insert;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.sink.JournalScript;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.TableFilter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class JournalReplayTest {
  private static final SchemaLookup SCHEMAS = fingerprint -> ITEMS;

  private final List<JournalEntry> journal = new ArrayList<>();
  private int opened;
  private int closed;

  @Test
  void aRangeIsReadChangeByChangeWithOrdinals() {
    JournalScript script = new JournalScript().term(1, 0);
    script.transaction(10, insert(1, "a"));
    script.transaction(20, insert(2, "b"), insert(3, "c"));
    script.transaction(30);
    script.transaction(40, insert(4, "d"));
    script.transaction(50, insert(5, "e"));
    journal.addAll(script.next());

    assertThat(texts(new JournalOffset(new Position(10), 1, 1, 2), 40))
        .containsExactly("0/14#1 2", "0/14#2 3", "0/28#1 4");
    assertThat(opened).isEqualTo(2).isEqualTo(closed);
  }

  @Test
  void aTransactionIsReadFirstFromTheOffsetBeforeIt() {
    JournalScript script = new JournalScript().term(1, 0);
    IntStream.range(1, 6).forEach(i -> script.transaction(10L * i, insert(i, "x")));
    journal.addAll(script.next());

    List<PositionedChange> all = changes(new JournalOffset(new Position(10), 1, 1, 2), 50);
    for (PositionedChange change : all) {
      List<PositionedChange> again = changes(change.transaction().before(), 50);
      assertThat(again.get(0)).isEqualTo(change);
      assertThat(again).hasSize(all.size() - all.indexOf(change));
    }
  }

  @Test
  void aLongTransactionKnowsItsEndFromItsFirstChangeOn() {
    ChangeEvent[] many =
        IntStream.range(0, 500)
            .mapToObj(i -> insert(i, "a rather long name of item " + i))
            .toArray(ChangeEvent[]::new);
    JournalScript script = new JournalScript().term(1, 0);
    script.transaction(10, insert(1000, "before"));
    script.transaction(20, many);
    journal.addAll(script.next());
    assertThat(journal.size()).isGreaterThan(20);

    List<PositionedChange> changes = changes(new JournalOffset(new Position(10), 1, 1, 2), 20);
    assertThat(changes).hasSize(500);
    assertThat(changes).allMatch(c -> c.transaction().position().equals(new Position(20)));
    assertThat(changes.get(499).ordinal()).isEqualTo(500);
  }

  @Test
  void aValueInPiecesIsPutTogether() {
    String wide = "w".repeat(3 * JournalRecord.PIECE_BYTES);
    JournalScript script = new JournalScript().term(1, 0);
    script.transaction(10, insert(1, "a"), insert(2, wide), insert(3, "c"));
    journal.addAll(script.next());

    List<PositionedChange> changes = changes(JournalOffset.beginning(Position.ZERO), 10);
    assertThat(changes).hasSize(3);
    assertThat(((RowChange) changes.get(1).event()).row().text(1)).isEqualTo(wide);
  }

  @Test
  void anIncompleteTransactionThatIsRepeatedIsReadOnce() {
    JournalScript script = new JournalScript().term(1, 0);
    script.transaction(10, insert(1, "a"));
    journal.addAll(script.next());
    // A publisher that ends in the middle of a transaction.
    List<byte[]> torn = new ArrayList<>();
    TransactionEncoder encoder = new TransactionEncoder(1, 16, torn::add);
    encoder.begin();
    encoder.end(new Position(10), 1);
    torn.clear();
    encoder.begin();
    encoder.add(insert(2, "torn, and longer than a frame"));
    encoder.add(insert(3, "torn, and longer than a frame"));
    torn.forEach(value -> journal.add(new JournalEntry(journal.size(), value)));
    assertThat(torn).isNotEmpty();
    JournalScript again = new JournalScript().term(2, 10);
    again.transaction(10, insert(1, "a"));
    again.transaction(20, insert(2, "b"), insert(3, "c"));
    for (JournalEntry entry : again.next()) {
      journal.add(new JournalEntry(journal.size(), entry.value()));
    }

    assertThat(texts(JournalOffset.beginning(Position.ZERO), 20))
        .containsExactly("0/A#1 1", "0/14#1 2", "0/14#2 3");
  }

  private List<String> texts(JournalOffset after, long upTo) {
    return changes(after, upTo).stream()
        .map(
            change ->
                change.transaction().position()
                    + "#"
                    + change.ordinal()
                    + " "
                    + ((RowChange) change.event()).row().text(0))
        .toList();
  }

  private List<PositionedChange> changes(JournalOffset after, long upTo) {
    List<PositionedChange> changes = new ArrayList<>();
    try (ChangeReplay.Changes opened =
        new JournalReplay(this::open, SCHEMAS).open(after, new Position(upTo), TableFilter.ALL)) {
      for (PositionedChange next = opened.next(); next != null; next = opened.next()) {
        changes.add(next);
      }
      assertThat(opened.next()).isNull();
    }
    return changes;
  }

  private JournalRecords.Reading open(long offset) {
    opened++;
    Iterator<JournalEntry> entries = journal.listIterator((int) offset);
    return new JournalRecords.Reading() {
      @Override
      public JournalEntry next() {
        return entries.next();
      }

      @Override
      public void close() {
        closed++;
      }
    };
  }
}
