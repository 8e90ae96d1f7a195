package dev.sluice.sink.intake;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.CorruptJournalException;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.JournalRecord.Piece;
import dev.sluice.connector.api.JournalRecord.TermStart;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.sink.intake.IntakeResult.DropReason;
import dev.sluice.sink.intake.IntakeResult.Dropped;
import dev.sluice.sink.intake.IntakeResult.Part;
import dev.sluice.sink.intake.IntakeResult.Whole;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which journal records are applied: those of complete transactions without a hole between
 * them, each once. Reads only the records' stamps, never a row. Owned by the intake thread.
 */
public final class Intake {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  /*
   * A term is one run of the publisher. It starts again from the slot, so it repeats transactions
   * that an earlier term wrote to the journal. Within a term, transactions are numbered 1, 2, … and
   * their changes 1..n. A lost record shows as a hole in these numbers: the rest of that term is
   * dropped, and the next term writes it again. Repeated transactions are recognized by their
   * position. If a term starts after the last transaction seen, the changes between are lost for
   * good; only that stops the task.
   */
  private Position last;
  private long term;
  private long lastCompleted;

  /** Describes the hole after which the rest of the term is dropped; null if there is none. */
  private String hole;

  private boolean open;
  private int nextOrdinal = 1;
  private int nextPiece;
  private int pieces;

  public Intake(JournalOffset applied) {
    this.last = applied.position();
    this.term = applied.term();
    this.lastCompleted = applied.transaction();
  }

  /** Position of the last complete transaction that was taken or was already applied. */
  public Position last() {
    return last;
  }

  /**
   * Describes the hole in the current term, which only a newer term fills; empty if there is none.
   */
  public Optional<String> hole() {
    return Optional.ofNullable(hole);
  }

  /**
   * Decides about the next record of the journal.
   *
   * @throws SluiceException.Fatal if changes are missing from the journal for good, or the bytes
   *     are not a journal record
   */
  public IntakeResult take(JournalEntry entry) {
    JournalRecord record = parse(entry);
    if (record instanceof TermStart start) {
      return begin(start, entry.offset());
    }
    if (record.term() < term) {
      return new Dropped(DropReason.OLDER_TERM, false);
    }
    if (record.term() > term) {
      term = record.term();
      return gap("without its beginning", entry.offset());
    }
    if (hole != null) {
      return new Dropped(DropReason.AFTER_GAP, false);
    }
    return record instanceof Frame frame
        ? takeFrame(frame, entry.offset())
        : takePiece((Piece) record, entry.offset());
  }

  private static JournalRecord parse(JournalEntry entry) {
    try {
      return JournalRecord.parse(entry.value());
    } catch (CorruptJournalException e) {
      throw new SluiceException.Fatal(
          "journal record at offset " + entry.offset() + " cannot be read: " + e.getMessage(), e);
    }
  }

  private IntakeResult begin(TermStart start, long offset) {
    if (start.term() < term) {
      return new Dropped(DropReason.OLDER_TERM, false);
    }
    if (start.term() == term) {
      return new Dropped(DropReason.REPEATED, false);
    }
    if (start.position().isAfter(last)) {
      throw new SluiceException.Fatal(
          new Problem(
              "journal, offset " + offset,
              "term %d starts from the slot position %s, but the last complete transaction is at %s"
                  .formatted(start.term(), start.position(), last),
              "a start at or before " + last,
              "The changes between the two positions are missing from the journal. Make the tables"
                  + " equal again by difference: sluice resync, and then sluice run"));
    }
    LOG.info(
        "term {} begins at offset {} from {}, after {}",
        start.term(),
        offset,
        start.position(),
        last);
    boolean discardsOpen = open;
    term = start.term();
    lastCompleted = 0;
    hole = null;
    close();
    return new Dropped(DropReason.TERM_START, discardsOpen);
  }

  private IntakeResult takeFrame(Frame frame, long offset) {
    if (isBehind(frame)) {
      return new Dropped(DropReason.REPEATED, false);
    }
    if (frame.transaction() != lastCompleted + 1
        || frame.firstOrdinal() != nextOrdinal
        || nextPiece != 0) {
      return gap(describe(frame.transaction(), frame.firstOrdinal()), offset);
    }
    TransactionEnd end = frame.end();
    int ordinalAfter = nextOrdinal + frame.count();
    if (end != null && end.changes() != ordinalAfter - 1) {
      return gap(
          "transaction %d ends after %d changes, but has %d"
              .formatted(frame.transaction(), ordinalAfter - 1, end.changes()),
          offset);
    }
    boolean first = !open;
    if (end == null) {
      open = true;
      nextOrdinal = ordinalAfter;
      return new Part(frame, first);
    }
    boolean discardsOpen = open;
    lastCompleted++;
    close();
    if (!end.position().isAfter(last)) {
      return new Dropped(DropReason.REPEATED, discardsOpen);
    }
    last = end.position();
    return new Whole(frame, first, end, offset + 1);
  }

  private IntakeResult takePiece(Piece piece, long offset) {
    if (isBehind(piece)) {
      return new Dropped(DropReason.REPEATED, false);
    }
    if (piece.transaction() != lastCompleted + 1
        || piece.ordinal() != nextOrdinal
        || piece.piece() != nextPiece
        || nextPiece > 0 && piece.pieces() != pieces) {
      return gap(
          describe(piece.transaction(), piece.ordinal())
              + ", piece %d of %d".formatted(piece.piece() + 1, piece.pieces()),
          offset);
    }
    boolean first = !open;
    open = true;
    pieces = piece.pieces();
    nextPiece++;
    if (piece.isLast()) {
      nextOrdinal++;
      nextPiece = 0;
    }
    return new Part(piece, first);
  }

  /** True if the frame was already read in this term, for example because reading started again. */
  private boolean isBehind(Frame frame) {
    return frame.transaction() <= lastCompleted
        || open
            && frame.transaction() == lastCompleted + 1
            && frame.end() == null
            && frame.firstOrdinal() + frame.count() <= nextOrdinal;
  }

  private boolean isBehind(Piece piece) {
    return piece.transaction() <= lastCompleted
        || open
            && piece.transaction() == lastCompleted + 1
            && (piece.ordinal() < nextOrdinal
                || piece.ordinal() == nextOrdinal && piece.piece() < nextPiece);
  }

  private String describe(long transaction, int ordinal) {
    return "found transaction %d change %d, expected transaction %d change %d"
        .formatted(transaction, ordinal, lastCompleted + 1, nextOrdinal);
  }

  private IntakeResult gap(String found, long offset) {
    boolean discardsOpen = open;
    hole =
        "term %d has a hole before journal offset %d (%s): nothing of it after %s can be applied"
            .formatted(term, offset, found, last);
    LOG.warn("{}", hole);
    close();
    return new Dropped(DropReason.AFTER_GAP, discardsOpen);
  }

  private void close() {
    open = false;
    nextOrdinal = 1;
    nextPiece = 0;
  }
}
