package dev.sluice.engine.lane;

import dev.sluice.sink.SinkSettings;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The settings of a lane, made of those of the task. Gives the same object until these change. Used
 * by the lane's intake thread, and before that by the one that starts it.
 */
public final class LaneSettings implements Supplier<SinkSettings> {
  private final Supplier<SinkSettings> task;
  private final UnaryOperator<SinkSettings> ofLane;
  private SinkSettings seen;
  private SinkSettings made;

  public LaneSettings(Supplier<SinkSettings> task, UnaryOperator<SinkSettings> ofLane) {
    this.task = task;
    this.ofLane = ofLane;
  }

  @Override
  public SinkSettings get() {
    SinkSettings now = task.get();
    if (now != seen) {
      seen = now;
      made = ofLane.apply(now);
    }
    return made;
  }
}
