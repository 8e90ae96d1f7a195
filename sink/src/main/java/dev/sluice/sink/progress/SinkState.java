package dev.sluice.sink.progress;

/** The state of the sink. */
public enum SinkState {
  /** Takes records and applies windows. */
  RUNNING,
  /** The open transaction does not fit into swap: intake waits until there is room. */
  SWAP_FULL,
  /** The target failed; the window is retried. */
  TARGET_RETRY,
  /** Ended by a failure. */
  FAILED,
  /** Stopped on request. */
  STOPPED
}
