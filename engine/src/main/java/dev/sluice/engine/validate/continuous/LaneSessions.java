package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.JournalKeys;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.lane.LaneId;
import java.util.List;
import java.util.Optional;

/**
 * Runs sessions on the task's servers. Owned by the thread of the validation; another thread
 * prepares tables.
 *
 * @param keys the keys of the journal's transactions
 */
record LaneSessions(TaskContext context, JournalKeys keys, ValidationTuning tuning) {

  /**
   * Compares tables of one lane. A fence closes the open window, so that the target soon reaches
   * the source's position.
   */
  SessionFindings run(LaneId lane, List<ComparisonPlan> plans) throws InterruptedException {
    return new ComparisonSession(
            context.source().comparison(),
            context.target().comparison(),
            context.config().tableMappings(),
            keys,
            any -> context.source().log().endWindows(),
            tuning.limits())
        .run(
            new LaneCheckpoints(context.target(), context.controlSchema())
                .positionOf(context.task(), lane),
            plans);
  }

  /** Why no session may begin yet; empty if one may. */
  Optional<String> obstacle() {
    try (SourceView view = context.source().comparison().open(SessionLimits.DEFAULT.life())) {
      return keys.obstacle(view.visibleTransactions());
    }
  }

  /**
   * Prepares a table of the target for its first pass. May take an hour; called by a thread of its
   * own.
   *
   * @param table its name on the source
   */
  void prepare(TableId table) {
    context.target().comparison().prepare(context.config().tableMappings().targetOf(table));
  }
}
