package dev.sluice.connector.journal;

import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEnd;
import java.util.Optional;

/**
 * Finds the last complete transaction of a journal by the sink's rules. Within a term, transactions
 * are consecutive and have ordinals from 1 to n. After a gap the rest of the term is ignored. After
 * a newer term begins, records of older terms are ignored. Pure; owned by the thread that reads.
 */
final class JournalEndReader {
  private long term;
  private long newestTerm;
  private long lastCompleted;
  private long nextOrdinal = 1;
  private int nextPiece;
  private int pieces;
  private boolean open;
  private boolean broken;
  private Position position;
  private TransactionEnd furthest;

  /**
   * @param term the term of the checkpoint from which reading starts; 0 for the journal's start
   * @param transaction the number of the checkpoint's transaction in that term
   */
  JournalEndReader(long term, long transaction) {
    this.term = term;
    this.newestTerm = term;
    this.lastCompleted = transaction;
  }

  void add(JournalRecord record) {
    newestTerm = Math.max(newestTerm, record.term());
    if (record.term() < term) {
      return;
    }
    if (record.term() > term) {
      begin(record.term());
      // Without its first record nothing of a term counts.
      broken = !(record instanceof JournalRecord.TermStart);
    }
    if (broken) {
      return;
    }
    if (record instanceof JournalRecord.Frame frame) {
      addFrame(frame);
    } else if (record instanceof JournalRecord.Piece piece) {
      addPiece(piece);
    }
  }

  JournalTail tail() {
    return new JournalTail(
        Optional.ofNullable(position), newestTerm, Optional.ofNullable(furthest));
  }

  private void begin(long newTerm) {
    term = newTerm;
    lastCompleted = 0;
    close();
  }

  private void addFrame(JournalRecord.Frame frame) {
    if (isRead(frame)) {
      return;
    }
    if (frame.transaction() != lastCompleted + 1
        || frame.firstOrdinal() != nextOrdinal
        || nextPiece != 0) {
      broken = true;
      return;
    }
    open = true;
    nextOrdinal += frame.count();
    TransactionEnd end = frame.end();
    if (end == null) {
      return;
    }
    if (end.changes() != nextOrdinal - 1) {
      broken = true;
      return;
    }
    lastCompleted++;
    close();
    position = end.position();
    if (furthest == null || position.isAfter(furthest.position())) {
      furthest = end;
    }
  }

  private void addPiece(JournalRecord.Piece piece) {
    if (isRead(piece)) {
      return;
    }
    if (piece.transaction() != lastCompleted + 1
        || piece.ordinal() != nextOrdinal
        || piece.piece() != nextPiece
        || nextPiece > 0 && piece.pieces() != pieces) {
      broken = true;
      return;
    }
    open = true;
    pieces = piece.pieces();
    nextPiece++;
    if (piece.isLast()) {
      nextPiece = 0;
      nextOrdinal++;
    }
  }

  /** Whether the term had this frame before. */
  private boolean isRead(JournalRecord.Frame frame) {
    return frame.transaction() <= lastCompleted
        || open
            && frame.transaction() == lastCompleted + 1
            && frame.end() == null
            && frame.firstOrdinal() + frame.count() <= nextOrdinal;
  }

  private boolean isRead(JournalRecord.Piece piece) {
    return piece.transaction() <= lastCompleted
        || open
            && piece.transaction() == lastCompleted + 1
            && (piece.ordinal() < nextOrdinal
                || piece.ordinal() == nextOrdinal && piece.piece() < nextPiece);
  }

  private void close() {
    open = false;
    nextOrdinal = 1;
    nextPiece = 0;
  }
}
