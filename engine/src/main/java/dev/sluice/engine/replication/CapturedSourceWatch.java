package dev.sluice.engine.replication;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.TaskContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every few seconds that the source still sends all that the task needs. Changes of tables
 * that somebody removes are missing in the log, and so are those that another server takes which
 * got the source's address. Nothing else shows that. Threadsafe.
 */
final class CapturedSourceWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CapturedSourceWatch.class);

  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final TaskContext context;
  private final BooleanSupplier mayLeave;
  private final PeriodicTask task;
  private volatile SluiceException failure;

  private CapturedSourceWatch(RunningTask task, BooleanSupplier reloads) {
    this.context = task.context();
    // A cutover has its own proofs. A table that is reloaded has rows of the server that is read,
    // and a stop is a place or a time of its log.
    this.mayLeave =
        () ->
            task.phases().phase() != Phase.CUTTING_OVER
                && !reloads.getAsBoolean()
                && context.config().cdcStop().isEmpty();
    this.task =
        new PeriodicTask(
            "sluice-captured-source",
            INTERVAL,
            this::check,
            // The capture reports an unreachable source.
            e -> LOG.debug("the source cannot be checked at present: {}", e.getMessage()));
  }

  /**
   * Starts the checks.
   *
   * @param reloads whether a table is being loaded again
   */
  static CapturedSourceWatch start(RunningTask task, BooleanSupplier reloads) {
    CapturedSourceWatch watch = new CapturedSourceWatch(task, reloads);
    watch.task.start();
    return watch;
  }

  /** Why the task cannot continue: changes are missing. */
  Optional<SluiceException> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public void close() {
    task.close();
  }

  private void check() {
    List<Problem> problems =
        context.source().capturedTables().leavingOut(context.config().tableMappings());
    if (!problems.isEmpty()) {
      failure = new SluiceException.Fatal(problems);
    }
    if (mayLeave.getAsBoolean()) {
      context.source().log().followAddress();
    }
  }
}
