package dev.sluice.sink.progress;

import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.window.policy.WindowPlan;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A snapshot of the sink for status, metrics, fences and offset commits. Immutable.
 *
 * @param apply what was applied to the target
 * @param intake what is held and not applied yet
 * @param memoryLimitTotal effective memory limit of open transactions
 * @param batchApplyMemoryLimit effective memory limit of one window
 * @param swapLimit limit of the total size of the swap files
 * @param plan how the next windows are filled; empty if the settings give their times
 */
public record SinkProgress(
    ApplyProgress apply,
    IntakeProgress intake,
    DataSize memoryLimitTotal,
    DataSize batchApplyMemoryLimit,
    DataSize swapLimit,
    Optional<WindowPlan> plan) {

  /**
   * The combined progress of a task's lanes. Its position is that of the lane furthest behind; a
   * fence has passed when all lanes have passed it.
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
              plus(sum.swapLimit, lane.swapLimit),
              slower(sum.plan, lane.plan));
    }
    return sum;
  }

  /** The one whose windows stay open for longer. */
  private static Optional<WindowPlan> slower(Optional<WindowPlan> one, Optional<WindowPlan> other) {
    return Stream.of(one, other)
        .flatMap(Optional::stream)
        .max(Comparator.comparing(plan -> plan.times().least()));
  }

  private static DataSize plus(DataSize one, DataSize other) {
    return DataSize.ofBytes(one.bytes() + other.bytes());
  }

  public SinkState state() {
    boolean stalled = apply.state() == SinkState.RUNNING && !intake.swapFull().isEmpty();
    return stalled ? SinkState.SWAP_FULL : apply.state();
  }

  /** Details of the state with numbers; empty while the sink runs. */
  public String detail() {
    return state() == SinkState.SWAP_FULL ? intake.swapFull() : apply.detail();
  }

  /**
   * True if everything before the fence is durable on the target. Only the last 1,000 fences are
   * remembered.
   *
   * @param fence its position in the source's log
   */
  public boolean hasPassed(Position fence) {
    return apply.fences().contains(fence.toString());
  }
}
