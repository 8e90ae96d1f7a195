package dev.sluice.engine.lane;

import dev.sluice.sink.SinkSettings;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Derives the settings of a lane from those of the task. Returns the same object until these
 * change. Used by the lane's intake thread, and before its start by the thread that starts it.
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
