package dev.sluice.engine.daemon;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.capture.DaemonLocation;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.check.ValidationOnlyChecks;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.validate.only.OnlyPass;
import dev.sluice.engine.validate.only.OnlyResult;
import dev.sluice.engine.validate.only.TaskValidation;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.sink.control.task.DaemonPresence;
import dev.sluice.sink.control.validation.ListedRows;
import dev.sluice.sink.control.validation.RowFailure;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task with ValidationOnly: compares the tables of both sides once. It takes no slot, claims no
 * checkpoint and writes no table but the list of rows that differ. Used by one thread.
 */
public final class ValidationOnlyTask {
  private static final Logger LOG = LoggerFactory.getLogger(ValidationOnlyTask.class);

  private final TaskContext context;
  private final ListedRows listed;

  private ValidationOnlyTask(TaskContext context) {
    this.context = context;
    this.listed = new ListedRows(context.target(), context.controlSchema(), context.task());
  }

  public static ValidationOnlyTask of(TaskConfig config) {
    return new ValidationOnlyTask(TaskContext.of(config));
  }

  /** What is in the way of a comparison, and remarks. Changes nothing. */
  public TaskChecks.Findings check() {
    return new ValidationOnlyChecks(context).findings();
  }

  /**
   * Compares all tables. The list of differing rows is that of this run.
   *
   * @throws SluiceException if it cannot begin, or a server does not answer for longer than retries
   *     last
   */
  public OnlyResult run() throws InterruptedException {
    try (TaskLock lock = TaskLock.take(context.task(), context.config().dataDir())) {
      LOG.info("task {} compares only, process {}", context.task(), lock.pid());
      TaskChecks.Findings findings = check();
      findings.notes().forEach(note -> LOG.info("note: {}", note));
      if (!findings.problems().isEmpty()) {
        throw new SluiceException.Fatal(findings.problems());
      }
      LOG.info("checked: {}", findings.summary());
      try (DaemonPresence alone = requireAlone()) {
        requireOwnName();
        listed.clear();
        return compare(alone);
      }
    }
  }

  private OnlyResult compare(DaemonPresence alone) throws InterruptedException {
    TaskSettings settings = context.config().taskSettings();
    SessionLimits limits = TaskValidation.limits(settings);
    Clock clock = Clock.systemUTC();
    return new OnlyPass(
            context.config().tableMappings(),
            settings,
            plans ->
                ComparisonSession.withoutJournal(
                        context.source().comparison(),
                        context.target().comparison(),
                        context.config().tableMappings(),
                        limits)
                    .runAsTheyAre(plans),
            (table, found, equal) -> store(alone, table, found, equal),
            new Retries(context.retryPolicy(), clock),
            clock)
        .compare(
            context.source().catalog(context.config().tableMappings()::selects).tables(),
            context.viewsToLoad());
  }

  private void store(
      DaemonPresence alone, TableId table, List<RowFailure> found, List<String> equal) {
    if (!alone.show(DaemonLocation.SESSION_END)) {
      throw new SluiceException.Fatal(anotherProcess());
    }
    listed.store(table, found, equal);
  }

  /**
   * Removes the list of differing rows, which is all that the task has.
   *
   * @param held the task's lock
   * @return a line for each part
   */
  public List<String> remove(TaskLock held) {
    LOG.info("process {} removes task {}", held.pid(), context.task());
    DaemonPresence alone = requireAlone();
    try {
      requireOwnName();
      boolean any = listed.clear();
      context.checkpoints().removeUnused();
      return List.of((any ? "removed: " : "none: ") + "control rows on the target");
    } finally {
      alone.close();
    }
  }

  private void requireOwnName() {
    Optional<Problem> another = ValidationOnlyChecks.replicates(context);
    if (another.isPresent()) {
      throw new SluiceException.Fatal(another.get());
    }
  }

  private DaemonPresence requireAlone() {
    return NoDaemon.require(
        context,
        "no other process of this task",
        "Wait until it has ended; a task with ValidationOnly needs a name of its own: task");
  }

  private Problem anotherProcess() {
    return new Problem(
        "task " + context.task(),
        "another process of it has begun since the session on the target was lost",
        "one process at a time",
        "Wait until that one has ended, and start again");
  }
}
