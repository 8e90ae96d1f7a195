package dev.sluice.connector.journal;

import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * Finds the last complete transaction of a journal by the sink's rules. Within a term, transactions
 * are consecutive and have ordinals from 1 to n. After a gap the rest of the term is ignored. After
 * a newer term begins, records of older terms are ignored. Pure; owned by the thread that reads.
 */
final class JournalEndReader {
  private long term;
  private long newestTerm;
  private long transaction;
  private long ordinal;
  private int nextPiece;
  private boolean open;
  private boolean broken;
  private Position position;

  /**
   * @param term the term of the checkpoint from which reading starts; 0 for the journal's start
   * @param transaction the number of the checkpoint's transaction in that term
   */
  JournalEndReader(long term, long transaction) {
    this.term = term;
    this.newestTerm = term;
    this.transaction = transaction;
  }

  void add(JournalRecord record) {
    newestTerm = Math.max(newestTerm, record.term());
    if (record.term() < term) {
      return;
    }
    if (record instanceof JournalRecord.TermStart start) {
      begin(start.term());
    } else if (record.term() == term && !broken) {
      if (record instanceof JournalRecord.Frame frame) {
        addFrame(frame);
      } else if (record instanceof JournalRecord.Piece piece) {
        addPiece(piece);
      }
    }
  }

  JournalTail tail() {
    return new JournalTail(Optional.ofNullable(position), newestTerm);
  }

  private void begin(long newTerm) {
    if (newTerm > term) {
      term = newTerm;
      transaction = 0;
      open = false;
      broken = false;
    }
  }

  private void addFrame(JournalRecord.Frame frame) {
    if (!follows(frame.transaction(), frame.firstOrdinal()) || nextPiece != 0) {
      broken = true;
      return;
    }
    ordinal += frame.count();
    if (frame.end() != null) {
      if (frame.end().changes() != ordinal) {
        broken = true;
        return;
      }
      open = false;
      position = frame.end().position();
    }
  }

  private void addPiece(JournalRecord.Piece piece) {
    if (!follows(piece.transaction(), piece.ordinal()) || piece.piece() != nextPiece) {
      broken = true;
      return;
    }
    nextPiece++;
    if (piece.isLast()) {
      nextPiece = 0;
      ordinal++;
    }
  }

  private boolean follows(long number, long firstOrdinal) {
    if (!open) {
      if (number != transaction + 1) {
        return false;
      }
      transaction = number;
      ordinal = 0;
      nextPiece = 0;
      open = true;
    }
    return number == transaction && firstOrdinal == ordinal + 1;
  }
}
