package dev.sluice.sink.progress;

import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.Position;
import java.util.List;

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

  /**
   * What the lanes of a task have done together: they stand where the one that has got least far
   * stands, and have passed what all have passed.
   *
   * @param lanes at least one
   */
  public static SinkProgress joined(List<SinkProgress> lanes) {
    SinkProgress sum = lanes.get(0);
    for (SinkProgress lane : lanes.subList(1, lanes.size())) {
      sum =
          new SinkProgress(
              sum.apply.and(lane.apply),
              sum.intake.plus(lane.intake),
              plus(sum.memoryLimitTotal, lane.memoryLimitTotal),
              plus(sum.batchApplyMemoryLimit, lane.batchApplyMemoryLimit),
              plus(sum.swapLimit, lane.swapLimit));
    }
    return sum;
  }

  private static DataSize plus(DataSize one, DataSize other) {
    return DataSize.ofBytes(one.bytes() + other.bytes());
  }

  public SinkState state() {
    boolean stalled = apply.state() == SinkState.RUNNING && !intake.swapFull().isEmpty();
    return stalled ? SinkState.SWAP_FULL : apply.state();
  }

  /** What the state is about, with its figures; empty while it runs. */
  public String detail() {
    return state() == SinkState.SWAP_FULL ? intake.swapFull() : apply.detail();
  }

  /**
   * Whether a fence has come out of the sink durably; the last 1,000 are remembered.
   *
   * @param fence its place in the source's log
   */
  public boolean hasPassed(Position fence) {
    return apply.fences().contains(fence.toString());
  }
}
