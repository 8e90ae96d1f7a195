package dev.sluice.sink.progress;

import dev.sluice.config.DataSize;

/**
 * A picture of the sink for status, metrics, fences and offset commits. Immutable.
 *
 * @param apply what reached the target
 * @param intake what is on its way
 * @param memoryLimitTotal effective ceiling of open transactions
 * @param batchApplyMemoryLimit effective ceiling of one window
 * @param swapLimit ceiling of the swap files
 */
public record SinkProgress(
    ApplyProgress apply,
    IntakeProgress intake,
    DataSize memoryLimitTotal,
    DataSize batchApplyMemoryLimit,
    DataSize swapLimit) {

  public SinkState state() {
    boolean stalled = apply.state() == SinkState.RUNNING && !intake.swapFull().isEmpty();
    return stalled ? SinkState.SWAP_FULL : apply.state();
  }

  /** What the state is about, with its figures; empty while it runs. */
  public String detail() {
    return state() == SinkState.SWAP_FULL ? intake.swapFull() : apply.detail();
  }

  /** Whether a fence has come out of the sink durably; the last 1,000 are remembered. */
  public boolean hasPassed(String fence) {
    return apply.fences().contains(fence);
  }
}
