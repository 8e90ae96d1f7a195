package dev.sluice.engine.replication;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.TaskContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every few seconds that the source still sends all that the task needs. Changes of tables
 * that somebody removes are missing in the log, and nothing else shows that. Threadsafe.
 */
final class CapturedTablesWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CapturedTablesWatch.class);

  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final TaskContext context;
  private final PeriodicTask task;
  private volatile SluiceException failure;

  private CapturedTablesWatch(TaskContext context) {
    this.context = context;
    this.task =
        new PeriodicTask(
            "sluice-captured-tables",
            INTERVAL,
            this::check,
            // The capture reports an unreachable source.
            e -> LOG.debug("the captured tables cannot be checked at present: {}", e.getMessage()));
  }

  /** Starts the checks. */
  static CapturedTablesWatch start(TaskContext context) {
    CapturedTablesWatch watch = new CapturedTablesWatch(context);
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
  }
}
