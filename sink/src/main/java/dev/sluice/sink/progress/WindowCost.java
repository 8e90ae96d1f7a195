package dev.sluice.sink.progress;

import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.window.ApplyStage;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * What one window has cost. Immutable.
 *
 * @param appliedAt when it was committed on the target
 * @param window its reason, its changes, and the time from submission to commit
 * @param filling from its first transaction with changes to its closing
 * @param visible from the source's commit of its first transaction with changes to its commit on
 *     the target; negative if the source's clock is ahead
 * @param stages the time of the apply thread by stage, failed attempts included
 * @param bytes heap bytes of its changes when it was submitted; of a large transaction, which is
 *     read in parts, the bytes of its journal records
 * @param retries attempts that failed before the one that was committed
 */
public record WindowCost(
    LaneId lane,
    Instant appliedAt,
    LastWindow window,
    Duration filling,
    Duration visible,
    Map<ApplyStage, Duration> stages,
    long bytes,
    long retries) {
  public WindowCost {
    stages = Map.copyOf(stages);
  }
}
