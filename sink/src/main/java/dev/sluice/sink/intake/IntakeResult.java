package dev.sluice.sink.intake;

import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.TransactionEnd;

/** The intake's decision about one journal record. Immutable. */
public sealed interface IntakeResult {

  /**
   * The record belongs to the open transaction.
   *
   * @param first true for the transaction's first record; an open transaction before it is
   *     incomplete
   */
  record Part(JournalRecord record, boolean first) implements IntakeResult {}

  /**
   * The record completes its transaction, which is now to be applied.
   *
   * @param first true if it is also the transaction's first record
   */
  record Whole(JournalRecord.Frame record, boolean first, TransactionEnd end, long nextOffset)
      implements IntakeResult {}

  /**
   * The record is skipped.
   *
   * @param discardsOpen true if the open transaction is discarded as well
   */
  record Dropped(DropReason reason, boolean discardsOpen) implements IntakeResult {}

  /** Why a record is skipped. */
  enum DropReason {
    /** It begins a term and has no changes. */
    TERM_START,
    /** Its transaction was already applied or taken. */
    REPEATED,
    /** It belongs to an older term than the current one. */
    OLDER_TERM,
    /** A record before it in its term is missing. */
    AFTER_GAP
  }
}
