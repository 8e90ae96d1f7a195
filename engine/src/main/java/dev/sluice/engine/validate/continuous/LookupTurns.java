package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.sink.lane.LaneId;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The tables whose touched rows no session had time for, since the parts of large tables come
 * first. In each second session of a lane they do. Owned by the thread of the validation.
 */
final class LookupTurns {
  /** The one that has waited longest comes first. */
  private final Set<TableId> waiting = new LinkedHashSet<>();

  /** The lanes of which the last session began with such tables. */
  private final Set<LaneId> hadTurn = new HashSet<>();

  /** The tables with which the lane's next session begins, in their order. */
  List<TableId> first(LaneId lane) {
    return hadTurn.contains(lane) ? List.of() : List.copyOf(waiting);
  }

  /**
   * Takes over that a session of the lane has ended.
   *
   * @param plans what it should compare
   * @param missed tables among them that it had no time for
   */
  void ended(LaneId lane, List<ComparisonPlan> plans, Collection<TableId> missed) {
    List<TableId> first = first(lane);
    boolean turn = plans.stream().map(ComparisonPlan::table).anyMatch(first::contains);
    for (ComparisonPlan plan : plans) {
      if (plan.ranges().isEmpty() && missed.contains(plan.table())) {
        waiting.add(plan.table());
      } else {
        waiting.remove(plan.table());
      }
    }
    if (turn) {
      hadTurn.add(lane);
    } else {
      hadTurn.remove(lane);
    }
  }
}
