package dev.sluice.sink.lane;

import java.util.function.Supplier;

/**
 * What a pipeline is of its task. Immutable.
 *
 * @param tables whose changes it takes
 * @param bound how far it may go; asked by the intake thread with each call, so it never blocks
 */
public record Lane(LaneId id, TableFilter tables, Supplier<LaneBound> bound) {
  /** The only lane of a task. */
  public static final Lane WHOLE = of(LaneId.MAIN, TableFilter.ALL);

  /** A lane that goes as far as the journal. */
  public static Lane of(LaneId id, TableFilter tables) {
    return new Lane(id, tables, () -> LaneBound.NONE);
  }

  /** The same lane, no further than that. */
  public Lane boundedBy(Supplier<LaneBound> other) {
    return new Lane(id, tables, other);
  }
}
