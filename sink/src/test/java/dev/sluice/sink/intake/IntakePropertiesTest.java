package dev.sluice.sink.intake;

import static dev.sluice.sink.JournalScript.SCHEMAS;
import static dev.sluice.sink.JournalScript.insert;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.JournalRecord.TermStart;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.sink.intake.IntakeResult.Dropped;
import dev.sluice.sink.intake.IntakeResult.Part;
import dev.sluice.sink.intake.IntakeResult.Whole;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Intake against publishers that crash, lose records, repeat and write on after they were replaced,
 * and against readers that begin again: what is taken is what the source committed, once.
 */
final class IntakePropertiesTest {

  @Property(tries = 5_000)
  void whatIsTakenIsTheSourcesSequenceOnce(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 8) int transactions,
      @ForAll @IntRange(min = 0, max = 5) int crashes) {
    Random random = new Random(seed);
    List<int[]> source = new ArrayList<>();
    for (int i = 1; i <= transactions; i++) {
      source.add(new int[] {i * 10, random.nextInt(6)});
    }
    List<byte[]> journal = new ArrayList<>();
    List<byte[]> zombie = List.of();
    int slot = 0;
    for (int term = 1; term <= crashes + 1; term++) {
      boolean last = term == crashes + 1;
      List<byte[]> written = new ArrayList<>();
      List<Integer> endsAt = publish(term, slot, source, written);
      int arrived = last ? written.size() : random.nextInt(written.size() + 1);
      mix(journal, zombie, written.subList(0, arrived), random);
      if (last) {
        break;
      }
      int wholes = 0;
      while (wholes < endsAt.size() && endsAt.get(wholes) < arrived) {
        wholes++;
      }
      int first = slot / 10;
      // Only what Kafka has acknowledged moves the slot, and it may lag.
      slot = (first + (wholes == 0 ? 0 : random.nextInt(wholes + 1))) * 10;
      // One record is lost, those in flight behind it may still come.
      int behind = Math.min(arrived + 1, written.size());
      zombie = written.subList(behind, behind + random.nextInt(written.size() - behind + 1));
    }
    List<Integer> expected = source.stream().map(transaction -> transaction[0]).toList();
    assertThat(read(journal, random)).isEqualTo(expected);
  }

  /** Writes all that a term would write; gives the index of the last record of each transaction. */
  private static List<Integer> publish(
      int term, int slot, List<int[]> source, List<byte[]> written) {
    written.add(new TermStart(term, new Position(slot)).encode());
    TransactionEncoder encoder = new TransactionEncoder(term, 30, written::add);
    List<Integer> endsAt = new ArrayList<>();
    for (int[] transaction : source) {
      if (transaction[0] > slot) {
        encoder.begin();
        for (int change = 1; change <= transaction[1]; change++) {
          encoder.add(insert(change, "of " + transaction[0]));
        }
        encoder.end(new Position(transaction[0]), 0);
        endsAt.add(written.size() - 1);
      }
    }
    return endsAt;
  }

  /** The new term's beginning comes first or anywhere between the replaced one's last records. */
  private static void mix(
      List<byte[]> journal, List<byte[]> zombie, List<byte[]> written, Random random) {
    int old = 0;
    int now = 0;
    while (old < zombie.size() || now < written.size()) {
      boolean takeOld = old < zombie.size() && (now == written.size() || random.nextBoolean());
      journal.add(takeOld ? zombie.get(old++) : written.get(now++));
    }
  }

  /** Reads to the end, and on the way begins again from the checkpoint or from the start. */
  private static List<Integer> read(List<byte[]> journal, Random random) {
    List<Integer> taken = new ArrayList<>();
    JournalOffset place = JournalOffset.beginning(Position.ZERO);
    Intake intake = new Intake(place);
    List<JournalRecord> open = new ArrayList<>();
    int restarts = random.nextInt(3);
    for (int offset = 0; offset < journal.size(); offset++) {
      if (restarts > 0 && random.nextInt(5) == 0) {
        restarts--;
        intake = new Intake(place);
        open.clear();
        offset = random.nextBoolean() ? (int) place.nextOffset() : 0;
        if (offset == journal.size()) {
          break;
        }
      }
      IntakeResult result = intake.take(new JournalEntry(offset, journal.get(offset)));
      if (result instanceof Part part) {
        if (part.first()) {
          open.clear();
        }
        open.add(part.record());
      } else if (result instanceof Whole whole) {
        if (whole.first()) {
          open.clear();
        }
        open.add(whole.record());
        taken.add((int) whole.end().position().low());
        assertComplete(open, whole);
        open.clear();
        place =
            new JournalOffset(
                whole.end().position(),
                whole.record().term(),
                whole.record().transaction(),
                whole.nextOffset());
      } else if (result instanceof Dropped dropped && dropped.discardsOpen()) {
        open.clear();
      }
    }
    return taken;
  }

  private static void assertComplete(List<JournalRecord> records, Whole whole) {
    long ordinal = 0;
    for (JournalRecord record : records) {
      ChangeCursor changes = ((Frame) record).changes(SCHEMAS);
      while (changes.next()) {
        ordinal++;
        RowChange change = (RowChange) changes.change();
        assertThat(change.row().text(0)).isEqualTo("" + ordinal);
        assertThat(change.row().text(1)).isEqualTo("of " + whole.end().position().low());
      }
    }
    assertThat(ordinal).isEqualTo(whole.end().changes());
  }
}
