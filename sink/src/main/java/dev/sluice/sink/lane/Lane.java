package dev.sluice.sink.lane;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a pipeline is of its task. Immutable.
 *
 * @param tables whose changes it takes
 * @param bound how far it may go; asked by the intake thread with each call, so it never blocks
 * @param meeting where it waits for the lanes beside it; empty where it waits for none
 */
public record Lane(
    LaneId id, TableFilter tables, Supplier<LaneBound> bound, Optional<LaneRendezvous> meeting) {
  /** The only lane of a task. */
  public static final Lane WHOLE = of(LaneId.MAIN, TableFilter.ALL);

  /** A lane that goes as far as the journal. */
  public static Lane of(LaneId id, TableFilter tables) {
    return new Lane(id, tables, () -> LaneBound.NONE, Optional.empty());
  }

  /** Whether it applies transactions that alter tables for all lanes. */
  public boolean actsForAll() {
    return id.isMain() && meeting.isPresent();
  }

  /**
   * Whether a window with that filter is one for all lanes: of a transaction that alters tables.
   */
  public boolean isForAll(TableFilter filter) {
    return actsForAll() && filter.isAll();
  }

  /** The same lane, no further than that. */
  public Lane boundedBy(Supplier<LaneBound> other) {
    return new Lane(id, tables, other, meeting);
  }
}
