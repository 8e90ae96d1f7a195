package dev.sluice.sink.window.policy;

/** Why a window was closed; the first that holds, in this order. */
public enum CloseReason {
  /** A table altered, a fence, other settings, or the end of the task. */
  BARRIER,
  /** BatchApplyMemoryLimit reached, by all or by a table that has one of its own. */
  MEMORY,
  /** BatchApplyTimeoutMax passed; in transactional mode CommitTimeout. */
  MAX_TIME,
  /**
   * The applier is idle, BatchApplyTimeoutMin passed (here, or on the source between its commits)
   * and enough is waiting; in transactional mode MinTransactionSize reached.
   */
  READY,
  /** BatchApplyTimeoutMin passed and the journal has no more at present. */
  CAUGHT_UP
}
