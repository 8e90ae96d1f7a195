package dev.sluice.sink.window.policy;

/** Why a window was closed. If several reasons hold, the first in this order is used. */
public enum CloseReason {
  /** DDL, a fence, changed settings, or the end of the task. */
  BARRIER,
  /** BatchApplyMemoryLimit is reached, by the window or by a table with its own limit. */
  MEMORY,
  /**
   * BatchApplyTimeoutMax has passed, or the longest time of a plan; in transactional mode
   * CommitTimeout.
   */
  MAX_TIME,
  /**
   * The applier is idle, enough changes are waiting, and BatchApplyTimeoutMin has passed, here or
   * between the source's commits. In transactional mode: MinTransactionSize is reached.
   */
  READY,
  /** BatchApplyTimeoutMin has passed and the journal has no further records at present. */
  CAUGHT_UP
}
