package dev.sluice.sink.intake;

import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.TransactionEnd;

/** What became of one journal record. Immutable. */
public sealed interface IntakeResult {

  /**
   * The record belongs to the transaction that is being read.
   *
   * @param first whether it is the transaction's first record; what was open before is torn
   */
  record Part(JournalRecord record, boolean first) implements IntakeResult {}

  /**
   * The record completes its transaction, which is to be applied.
   *
   * @param first whether it is also the transaction's first record
   */
  record Whole(JournalRecord.Frame record, boolean first, TransactionEnd end, long nextOffset)
      implements IntakeResult {}

  /**
   * The record is passed over.
   *
   * @param discardsOpen whether the transaction that was being read is given up as well
   */
  record Dropped(DropReason reason, boolean discardsOpen) implements IntakeResult {}

  /** Why a record is passed over. */
  enum DropReason {
    /** It begins a term and has no changes. */
    TERM_START,
    /** Its transaction was applied or taken before. */
    REPEATED,
    /** A newer term has begun. */
    OLDER_TERM,
    /** Something is missing before it in its term. */
    AFTER_GAP
  }
}
