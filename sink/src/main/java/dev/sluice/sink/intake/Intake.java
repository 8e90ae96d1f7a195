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
 * Tells which journal records are to be applied: those of whole transactions that follow each other
 * without a hole, each once. Reads the stamps only, never a row. Owned by the intake thread.
 */
public final class Intake {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  /*
   * A term is one run of the publisher; it begins again from the slot, so it repeats transactions
   * that an earlier term has journaled. Within a term transactions are numbered 1, 2, … and their
   * changes 1..n. A record lost on the way shows as a hole in these numbers: what follows in that
   * term cannot be believed to follow, and the next term brings it again. Repeats are told by their
   * position. What lies between a term's slot position and the last transaction seen would be lost
   * for good, so that is the one thing that stops the task.
   */
  private Position last;
  private long term;
  private long lastWhole;

  /** Behind a hole nothing of the term is believed; null where there is none. */
  private String hole;

  private boolean open;
  private int nextOrdinal = 1;
  private int nextPiece;
  private int pieces;

  public Intake(JournalOffset applied) {
    this.last = applied.position();
    this.term = applied.term();
    this.lastWhole = applied.transaction();
  }

  /** The last whole transaction that was taken or was already applied. */
  public Position last() {
    return last;
  }

  /** Where the term that is read has a hole, which only a newer term fills; empty where none. */
  public Optional<String> hole() {
    return Optional.ofNullable(hole);
  }

  /**
   * Judges the next record of the journal.
   *
   * @throws SluiceException.Fatal where changes are missing from the journal for good, or the bytes
   *     are no journal record
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
              "term %d starts from the slot position %s, but the last whole transaction is at %s"
                  .formatted(start.term(), start.position(), last),
              "a start at or before " + last,
              "The changes between the two positions are lost from the journal: load the tables"
                  + " again"));
    }
    LOG.info(
        "term {} begins at offset {} from {}, after {}",
        start.term(),
        offset,
        start.position(),
        last);
    boolean torn = open;
    term = start.term();
    lastWhole = 0;
    hole = null;
    close();
    return new Dropped(DropReason.TERM_START, torn);
  }

  private IntakeResult takeFrame(Frame frame, long offset) {
    if (isBehind(frame)) {
      return new Dropped(DropReason.REPEATED, false);
    }
    if (frame.transaction() != lastWhole + 1
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
    boolean torn = open;
    lastWhole++;
    close();
    if (!end.position().isAfter(last)) {
      return new Dropped(DropReason.REPEATED, torn);
    }
    last = end.position();
    return new Whole(frame, first, end, offset + 1);
  }

  private IntakeResult takePiece(Piece piece, long offset) {
    if (isBehind(piece)) {
      return new Dropped(DropReason.REPEATED, false);
    }
    if (piece.transaction() != lastWhole + 1
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

  /** Whether the frame came before in this term, as where reading began again. */
  private boolean isBehind(Frame frame) {
    return frame.transaction() <= lastWhole
        || open
            && frame.transaction() == lastWhole + 1
            && frame.end() == null
            && frame.firstOrdinal() + frame.count() <= nextOrdinal;
  }

  private boolean isBehind(Piece piece) {
    return piece.transaction() <= lastWhole
        || open
            && piece.transaction() == lastWhole + 1
            && (piece.ordinal() < nextOrdinal
                || piece.ordinal() == nextOrdinal && piece.piece() < nextPiece);
  }

  private String describe(long transaction, int ordinal) {
    return "transaction %d change %d met where transaction %d change %d is due"
        .formatted(transaction, ordinal, lastWhole + 1, nextOrdinal);
  }

  private IntakeResult gap(String found, long offset) {
    boolean torn = open;
    hole =
        "term %d has a hole before journal offset %d (%s): of it nothing after %s can be applied"
            .formatted(term, offset, found, last);
    LOG.warn("{}", hole);
    close();
    return new Dropped(DropReason.AFTER_GAP, torn);
  }

  private void close() {
    open = false;
    nextOrdinal = 1;
    nextPiece = 0;
  }
}
