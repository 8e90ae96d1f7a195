package dev.sluice.sink.window;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * How long each stage has taken since the start, failed attempts included. Costs one reading of the
 * clock for each change of the stage. Owned by the apply thread.
 */
public final class StageTimes {
  private final long[] nanos = new long[ApplyStage.values().length];

  /** Null between two calls of the applier. */
  private ApplyStage current;

  private long since;

  /** From now on the time counts for this stage. */
  public void enter(ApplyStage stage) {
    leave();
    current = stage;
  }

  /** From now on the time counts for no stage. */
  public void leave() {
    long now = System.nanoTime();
    if (current != null) {
      nanos[current.ordinal()] += now - since;
    }
    current = null;
    since = now;
  }

  /** The stages that took time between two readings of {@link #times}, with that time. */
  public static Map<ApplyStage, Duration> between(
      Map<ApplyStage, Duration> before, Map<ApplyStage, Duration> after) {
    Map<ApplyStage, Duration> between = new EnumMap<>(ApplyStage.class);
    after.forEach(
        (stage, time) -> {
          Duration took = time.minus(before.getOrDefault(stage, Duration.ZERO));
          if (!took.isZero()) {
            between.put(stage, took);
          }
        });
    return between;
  }

  /** The times up to the last change of the stage. */
  public Map<ApplyStage, Duration> times() {
    Map<ApplyStage, Duration> times = new EnumMap<>(ApplyStage.class);
    for (ApplyStage stage : ApplyStage.values()) {
      times.put(stage, Duration.ofNanos(nanos[stage.ordinal()]));
    }
    return times;
  }
}
