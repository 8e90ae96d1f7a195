package dev.sluice.sink.progress;

/** What the sink is doing. */
public enum SinkState {
  /** Takes records and applies windows. */
  RUNNING,
  /** An open transaction does not fit into swap: nothing is taken in until there is room. */
  SWAP_FULL,
  /** The target failed and is tried again. */
  TARGET_RETRY,
  /** Ended by a failure. */
  FAILED,
  /** Ended because it was asked to. */
  STOPPED
}
