package dev.sluice.engine.lane;

import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.lane.LaneBound;
import java.util.function.Supplier;

/**
 * What lanes take and who is told of it. Immutable.
 *
 * @param bound how far each lane may go
 * @param news notifies each lane when another thread changes the suspended tables
 * @param observers observe the changes that the lanes decode
 */
public record LaneFeed(
    Supplier<LaneBound> bound, SuspensionChanges news, ChangeObserver.Factory observers) {

  /** Lanes that end at a bound; nobody observes them. */
  static LaneFeed endingAt(Supplier<LaneBound> bound) {
    return new LaneFeed(bound, new SuspensionChanges(), ChangeObserver.Factory.NONE);
  }
}
