package dev.sluice.engine.lane;

import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.lane.LaneBound;
import java.util.function.Supplier;

/**
 * What lanes take, how they apply it, and who is notified of it. Immutable.
 *
 * @param bound how far each lane may go
 * @param news notifies each lane when another thread changes the suspended tables
 * @param observers observe the changes that the lanes decode
 * @param settings what is done about changes that do not fit the target
 */
public record LaneFeed(
    Supplier<LaneBound> bound,
    SuspensionChanges news,
    ChangeObserver.Factory observers,
    ApplySettings settings) {

  /** Lanes that end at a bound; nobody observes them. */
  static LaneFeed endingAt(Supplier<LaneBound> bound, ApplySettings settings) {
    return new LaneFeed(bound, new SuspensionChanges(), ChangeObserver.Factory.NONE, settings);
  }
}
