package dev.sluice.sink.replay;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.JournalRecord.Piece;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.sink.intake.Intake;
import dev.sluice.sink.intake.IntakeResult;
import dev.sluice.sink.intake.IntakeResult.Part;
import dev.sluice.sink.intake.IntakeResult.Whole;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.sorter.RecordReader;
import dev.sluice.sink.sorter.TransactionChanges;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads a range of the journal a second time. Immutable, used by the apply thread.
 *
 * <p>The range is read twice: first only the stamps, to find out which transactions are complete
 * and where they end; then the changes, record by record. So a transaction of any size is returned
 * without being held, and an incomplete one is skipped.
 */
public final class JournalReplay implements ChangeReplay {
  private final JournalRecords journal;
  private final SchemaLookup schemas;

  public JournalReplay(JournalRecords journal, SchemaLookup schemas) {
    this.journal = journal;
    this.schemas = schemas;
  }

  @Override
  public Changes open(JournalOffset after, Position upTo, TableFilter filter) {
    Map<Long, TransactionEnd> ends = endsOfLongTransactions(after, upTo);
    return new Replayed(after, upTo, filter, ends);
  }

  /**
   * The ends of the complete transactions that have more than one record, by the offset of the
   * first record.
   */
  private Map<Long, TransactionEnd> endsOfLongTransactions(JournalOffset after, Position upTo) {
    Map<Long, TransactionEnd> ends = new HashMap<>();
    Intake intake = new Intake(after);
    long openedAt = -1;
    try (JournalRecords.Reading reading = journal.open(after.nextOffset())) {
      while (upTo.isAfter(intake.last())) {
        JournalEntry entry = reading.next();
        IntakeResult result = intake.take(entry);
        if (result instanceof Part part && part.first()) {
          openedAt = entry.offset();
        } else if (result instanceof Whole whole && !whole.first()) {
          ends.put(openedAt, whole.end());
        }
      }
    }
    return ends;
  }

  private final class Replayed implements Changes {
    private final Position upTo;
    private final TableFilter filter;
    private final Map<Long, TransactionEnd> ends;
    private final Intake intake;
    private final JournalRecords.Reading reading;

    private JournalOffset before;
    private SourceTransaction transaction;
    private TransactionChanges changes;

    /** The first record of the open transaction, read but not decoded yet. */
    private byte[] first;

    private boolean atLastRecord;

    private Replayed(
        JournalOffset after, Position upTo, TableFilter filter, Map<Long, TransactionEnd> ends) {
      this.upTo = upTo;
      this.filter = filter;
      this.ends = ends;
      this.before = after;
      this.intake = new Intake(after);
      this.reading = journal.open(after.nextOffset());
    }

    @Override
    public PositionedChange next() {
      while (true) {
        if (changes != null) {
          ChangeEvent event = changes.next();
          if (event != null) {
            return new PositionedChange(transaction, changes.ordinal(), event);
          }
          changes = null;
        }
        if (!upTo.isAfter(before.position())) {
          return null;
        }
        openNext();
      }
    }

    @Override
    public void close() {
      reading.close();
    }

    /** The next record of the open transaction; null after its last. */
    private byte[] nextRecord() {
      if (first != null) {
        byte[] taken = first;
        first = null;
        return taken;
      }
      while (!atLastRecord) {
        JournalEntry entry = reading.next();
        IntakeResult result = intake.take(entry);
        if (result instanceof Whole whole) {
          end(whole);
          return entry.value();
        }
        if (result instanceof Part) {
          return entry.value();
        }
      }
      return null;
    }

    private void openNext() {
      JournalEntry entry = reading.next();
      IntakeResult result = intake.take(entry);
      if (result instanceof Whole whole && whole.first()) {
        open(whole.record(), whole.end(), entry);
        end(whole);
      } else if (result instanceof Part part && part.first() && ends.containsKey(entry.offset())) {
        open(part.record(), ends.get(entry.offset()), entry);
      }
    }

    private void open(JournalRecord record, TransactionEnd end, JournalEntry entry) {
      long number =
          record instanceof Frame frame ? frame.transaction() : ((Piece) record).transaction();
      transaction =
          new SourceTransaction(before, end.position(), record.term(), number, end.commitTime());
      changes = new TransactionChanges(new OpenTransaction(), schemas, filter.at(end.position()));
      first = entry.value();
      atLastRecord = false;
    }

    private void end(Whole whole) {
      atLastRecord = true;
      before =
          new JournalOffset(
              whole.end().position(),
              whole.record().term(),
              whole.record().transaction(),
              whole.nextOffset());
    }

    private final class OpenTransaction implements RecordReader {
      @Override
      public byte[] next() {
        return nextRecord();
      }

      @Override
      public void close() {}
    }
  }
}
