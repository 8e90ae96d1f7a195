package dev.sluice.engine.task;

import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.lane.LaneId;
import java.util.function.Supplier;

/**
 * The settings of one of several lanes: its share of those of the task. Gives the same object until
 * these change. Used by the lane's intake thread, and before that by the one that starts it.
 */
final class LaneSettings implements Supplier<SinkSettings> {
  private final Supplier<SinkSettings> task;
  private final LaneId lane;
  private final int lanes;
  private SinkSettings before;
  private SinkSettings share;

  LaneSettings(Supplier<SinkSettings> task, LaneId lane, int lanes) {
    this.task = task;
    this.lane = lane;
    this.lanes = lanes;
  }

  @Override
  public SinkSettings get() {
    SinkSettings now = task.get();
    if (now != before) {
      before = now;
      share = now.shareOf(lane, lanes);
    }
    return share;
  }
}
