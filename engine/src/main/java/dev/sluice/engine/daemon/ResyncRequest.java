package dev.sluice.engine.daemon;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.check.OwnershipChecks;
import dev.sluice.engine.check.UnknownCutovers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.DaemonPresence;
import dev.sluice.sink.control.task.TaskStep;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests the resync of a task by difference, or cancels the request. Only writes a record on the
 * target, which the next start of the daemon reads. Used by one thread, which holds the task's
 * lock.
 */
public final class ResyncRequest {
  private static final Logger LOG = LoggerFactory.getLogger(ResyncRequest.class);

  private final TaskContext context;

  private ResyncRequest(TaskContext context) {
    this.context = context;
  }

  public static ResyncRequest of(TaskConfig config) {
    return new ResyncRequest(TaskContext.of(config));
  }

  /**
   * Requests the resync.
   *
   * @param held the task's lock
   * @param deleteExtra whether rows that only the target has are deleted
   * @throws SluiceException.Fatal with all reasons, if it cannot be requested
   */
  public void make(TaskLock held, boolean deleteExtra) {
    LOG.info("process {} requests a resync of task {}", held.pid(), context.task());
    DaemonPresence alone = requireAlone();
    try {
      List<Problem> problems = problems(context.steps().all(context.task()));
      if (!problems.isEmpty()) {
        throw new SluiceException.Fatal(problems);
      }
      new OwnershipChecks(context).require();
      context.checkpoints().create();
      context.ownership().begin(context.source());
      record(TaskStepNames.RESYNC_REQUESTED, TaskResync.detail(deleteExtra));
    } finally {
      alone.close();
    }
  }

  /**
   * Cancels a request that no start has acted on.
   *
   * @param held the task's lock
   * @return false if there is none
   */
  public boolean cancel(TaskLock held) {
    LOG.info("process {} cancels the resync of task {}", held.pid(), context.task());
    DaemonPresence alone = requireAlone();
    try {
      TaskResync resync = TaskResync.of(context.steps().all(context.task()));
      if (resync.isRunning()) {
        throw new SluiceException.Fatal(
            new Problem(
                "task " + context.task(),
                "its resync has begun: changes are applied from a new position, and rows before it"
                    + " may be wrong",
                "a resync that no start has acted on",
                "Let it end: sluice run continues it"));
      }
      if (resync.isUnfinished()) {
        record(TaskStepNames.RESYNC_CANCELLED, "");
      }
      return resync.isUnfinished();
    } finally {
      alone.close();
    }
  }

  private void record(String state, String detail) {
    Checkpoint claimed = context.claim().next();
    context.steps().record(claimed, TaskStepNames.RESYNC, state, detail);
  }

  private DaemonPresence requireAlone() {
    return NoDaemon.require(
        context,
        "no daemon of the task: a resync begins with the next start",
        "Stop that daemon with sluice stop. If that host is gone, its session on the target "
            + context.target().dialect().sessions().endWithoutHost());
  }

  /** Whether the task has never started on this target. */
  private boolean isNew() {
    return context.ownership().read().isEmpty();
  }

  private List<Problem> problems(List<TaskStep> steps) {
    // Otherwise no session could compare or correct a table, and the resync would never end.
    List<Problem> problems = new ArrayList<>(context.notCorrectable().stream().toList());
    String task = "task " + context.task();
    if (!context.config().migrationType().captures()) {
      problems.add(
          new Problem(
              task,
              "its migration-type is " + context.config().migrationType(),
              "one that replicates changes: cdc or full-load-and-cdc",
              "sluice validate compares the tables of a load"));
    } else if (context.config().migrationType().loads() && !StartPlan.isLoaded(steps)) {
      problems.add(
          new Problem(
              task,
              "its load is not done",
              "loaded tables, or migration-type: cdc for tables that another tool has filled",
              "sluice run loads the tables, or goes on with the load"));
    } else if (StartPlan.isIncomplete(steps)) {
      problems.add(
          new Problem(
              task,
              "its loaded tables lack keys, indexes or constraints",
              "complete tables: rows are compared by their keys",
              "sluice run creates them"));
    }
    if (problems.isEmpty() && isNew() && !context.config().overwriteTargetRows()) {
      problems.add(
          new Problem(
              task,
              "it has not started, so the rows of its tables on "
                  + context.config().target()
                  + " are not its own",
              "consent: a resync overwrites rows that differ from the source's",
              "If nothing else writes to these tables, say overwrite-target-rows: true in the task"
                  + " file"));
    }
    if (StartPlan.isQuiet(steps) || StartPlan.isCutOver(steps)) {
      problems.add(
          new Problem(
              task,
              "it was cut over: applications may have written to the target since",
              "a target that only the task writes to",
              "Leave the target as it is. A resync would overwrite what the applications wrote"));
    } else {
      problems.addAll(UnknownCutovers.problems(context));
    }
    if (StartPlan.isDeciding(steps)) {
      problems.add(
          new Problem(
              task,
              "only the source knows whether its cutover was decided: applications may have written"
                  + " to the target since",
              "a target that only the task writes to",
              "Start the daemon with sluice run: it asks the source. If sluice status then shows"
                  + " that the cutover has failed, stop it, and request the resync again"));
    }
    return problems;
  }
}
