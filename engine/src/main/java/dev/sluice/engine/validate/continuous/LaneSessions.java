package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.record.RecordHead;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.JournalKeys;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.lane.LaneId;
import java.util.List;
import java.util.Optional;

/** Runs sessions on the task's servers. Threadsafe. */
record LaneSessions(TaskContext context) {

  /**
   * Compares tables of one lane. A fence closes the open window, so that the target soon reaches
   * the source's position.
   *
   * @param keys the keys of the journal's transactions
   */
  SessionFindings run(
      LaneId lane, List<ComparisonPlan> plans, JournalKeys keys, SessionLimits limits)
      throws InterruptedException {
    return new ComparisonSession(
            context.source().comparison(),
            context.target().comparison(),
            context.config().tableMappings(),
            keys,
            any -> context.source().log().endWindows(),
            limits)
        .run(
            new LaneCheckpoints(context.target(), context.controlSchema())
                .positionOf(context.task(), lane),
            plans);
  }

  /**
   * Why no session may begin yet; empty if one may.
   *
   * @param keys as in {@link #run}
   */
  Optional<String> obstacle(JournalKeys keys) {
    try (SourceView view = context.source().comparison().open(SessionLimits.DEFAULT.life())) {
      return keys.obstacle(view.visibleTransactions());
    }
  }

  /**
   * Reads the identities of both servers, for the head of a record.
   *
   * @param since the position after which every row is read
   */
  RecordHead recordHead(Position since) {
    return new RecordHead(
        context.config(),
        context.ownership().mark().id().toString(),
        context.source().comparison().identity(),
        context.target().comparison().identity(),
        context.source().comparison().settings(),
        since);
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
