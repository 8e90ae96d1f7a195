package dev.sluice.engine.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.CdcStart;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import java.util.List;
import java.util.Optional;

/**
 * Checks the part of the source's log that a task reads: that it is still there, and that the task
 * can begin and stop where the task file says. Used once, by one thread.
 */
final class LogRangeChecks {
  private final TaskContext context;
  private final StartPlan plan;
  private final boolean resync;
  private final CheckReport found;

  /**
   * @param plan how the task continues
   * @param resync whether a resync is requested, which begins at the end of the log
   * @param found receives what is found, after earlier findings
   */
  LogRangeChecks(TaskContext context, StartPlan plan, boolean resync, CheckReport found) {
    this.context = context;
    this.plan = plan;
    this.resync = resync;
    this.found = found;
  }

  void run() {
    checkRetention();
    checkStart();
    checkStop();
  }

  /** A task that begins at a new position needs nothing of the old log. */
  private void checkRetention() {
    if (plan != StartPlan.GO_ON) {
      return;
    }
    try {
      LogRetention log = context.source().retention();
      if (log.state().filter(RetentionState::lost).isPresent()) {
        found.problems(
            List.of(
                new Problem(
                    log.shown(),
                    "the server has removed log that it needs; the changes since then are lost",
                    "one whose log is complete",
                    "Raise "
                        + log.limitedBy()
                        + ", then make the target equal again with sluice resync, which compares"
                        + " all rows and overwrites what differs")));
      }
    } catch (SluiceException e) {
      found.failureUnlessNamed("the log that the source keeps", e);
    }
  }

  /** A start by a time is searched where the task starts: that may take long. */
  private void checkStart() {
    Optional<CdcStart> start = context.config().cdcStart();
    if (plan != StartPlan.FOLLOW || resync || found.hasProblems()) {
      return;
    }
    if (start.isPresent() && start.get() instanceof CdcStart.AtPosition at) {
      try {
        context.source().retention().named(at.position());
      } catch (SluiceException e) {
        found.failure("the place of cdc-start-position", e);
      }
    }
  }

  /** Of a task that begins: later its capture knows more. */
  private void checkStop() {
    boolean begins = plan == StartPlan.LOAD || plan == StartPlan.FOLLOW;
    if (!begins || !context.config().migrationType().captures() || found.hasProblems()) {
      return;
    }
    try {
      // From a place of the past a task can come to a time that has passed.
      boolean now = context.config().cdcStart().isEmpty();
      context
          .config()
          .cdcStop()
          .filter(stop -> now || !(stop instanceof CdcStop.AtCommitTime))
          .ifPresent(context.source()::requireStop);
    } catch (SluiceException e) {
      found.failure("the place of cdc-stop-position", e);
    }
  }
}
