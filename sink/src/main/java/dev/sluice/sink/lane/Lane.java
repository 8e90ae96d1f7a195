package dev.sluice.sink.lane;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * The part of a task that one pipeline applies. Immutable.
 *
 * @param tables the tables whose changes it applies
 * @param bound supplies how far the lane may go; the intake thread calls it often, so it must not
 *     block
 * @param meeting where it waits for the other lanes, which may be none, before a transaction that
 *     alters tables: the window with it has no other transaction. Empty if that may stand after
 *     others in a window
 * @param observers observe the changes that it decodes
 */
public record Lane(
    LaneId id,
    TableFilter tables,
    Supplier<LaneBound> bound,
    Optional<LaneRendezvous> meeting,
    ChangeObserver.Factory observers) {
  /** The lane of a task that has no other lane. */
  public static final Lane WHOLE = of(LaneId.MAIN, TableFilter.ALL);

  /** A lane without a bound, which waits for no other lane. */
  public static Lane of(LaneId id, TableFilter tables) {
    return new Lane(
        id, tables, () -> LaneBound.NONE, Optional.empty(), ChangeObserver.Factory.NONE);
  }

  /** True if it applies transactions that alter tables for all lanes. */
  public boolean actsForAll() {
    return id.isMain() && meeting.isPresent();
  }

  /**
   * True if a window with this filter is applied for other lanes, too: it has a transaction that
   * alters tables.
   */
  public boolean isForAll(TableFilter filter) {
    return actsForAll() && filter.isAll() && !tables.isAll();
  }

  /** The same lane with another bound. */
  public Lane boundedBy(Supplier<LaneBound> other) {
    return new Lane(id, tables, other, meeting, observers);
  }
}
