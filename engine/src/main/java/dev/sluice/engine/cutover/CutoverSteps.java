package dev.sluice.engine.cutover;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The recorded steps of a task's cutover on the target. Threadsafe. */
final class CutoverSteps {
  private static final Logger LOG = LoggerFactory.getLogger(CutoverSteps.class);

  private static final Duration NOTE_AGAIN = Duration.ofMillis(500);
  private static final Polling POLLING = Polling.every(Duration.ofMillis(20));

  private final TaskContext context;
  private volatile Checkpoint claimed;

  /** True while the target may have the next epoch already, and this object not yet. */
  private volatile boolean claiming;

  CutoverSteps(TaskContext context) {
    this.context = context;
  }

  /** Claims the next epoch, which the daemon then holds; called by its main thread. */
  Checkpoint claim(Supplier<Checkpoint> next) {
    claiming = true;
    try {
      Checkpoint newest = next.get();
      claimed = newest;
      return newest;
    } finally {
      claiming = false;
    }
  }

  /** The epoch that the daemon's main thread holds from now on. */
  void claimed(Checkpoint newest) {
    claimed = newest;
  }

  /** Records the cutover's own step. */
  void record(String state, String detail) {
    record(TaskStepNames.CUTOVER, state, detail);
  }

  /**
   * Records a step on the target, under the epoch that the daemon holds.
   *
   * @throws SluiceException.Fenced if another daemon claimed the task
   */
  void record(String step, String state, String detail) {
    underEpoch(holder -> context.steps().record(holder, step, state, detail));
  }

  /**
   * Does work under the epoch that the daemon holds.
   *
   * @param work is done again if the main thread has claimed the next epoch meanwhile
   * @throws SluiceException.Fenced if another daemon claimed the task
   */
  void underEpoch(Consumer<Checkpoint> work) {
    POLLING.untilUninterrupted(
        () -> {
          Checkpoint holder = claimed;
          try {
            work.accept(holder);
            return true;
          } catch (SluiceException.Fenced e) {
            // The main thread may have claimed the next epoch meanwhile. The flag is read first: it
            // is cleared only after the new checkpoint is stored.
            if (!claiming && holder == claimed) {
              throw e;
            }
            return false;
          }
        });
  }

  /** Records the failure; retries without a limit while the target does not answer. */
  void noteFailed(String reason) throws InterruptedException {
    note(TaskStepNames.CUTOVER_FAILED, reason);
  }

  /** Records that the source is closed for writers; retries without a limit. */
  void noteDecided(Decision decision) throws InterruptedException {
    note(TaskStepNames.CUTOVER_QUIET, decision.detail());
  }

  private void note(String state, String detail) throws InterruptedException {
    Retries retries = new Retries(RetryPolicy.every(NOTE_AGAIN), new MonotonicClock());
    while (true) {
      try {
        record(state, detail);
        return;
      } catch (SluiceException.Retryable e) {
        LOG.warn(
            "the cutover's state {} is not recorded yet, tried again: {}", state, e.getMessage());
        retries.failed();
        retries.await();
      }
    }
  }

  /** The question to the source that an earlier daemon may not have got answered. */
  Optional<Decision> open() {
    return read()
        .filter(step -> step.state().equals(TaskStepNames.CUTOVER_DECIDING))
        .map(step -> Decision.parse(step.detail()));
  }

  /** When source and target were proven equal, if that is the last recorded step. */
  Optional<Instant> quietSince() {
    return read()
        .filter(step -> step.state().equals(TaskStepNames.CUTOVER_QUIET))
        .map(
            step ->
                Decision.isIn(step.detail())
                    ? Decision.parse(step.detail()).begun()
                    : Instant.parse(step.detail()));
  }

  /** The decision that closed the source, if that is the last recorded step. */
  Optional<Decision> decision() {
    return read()
        .filter(step -> step.state().equals(TaskStepNames.CUTOVER_QUIET))
        .map(TaskStep::detail)
        .filter(Decision::isIn)
        .map(Decision::parse);
  }

  /** The lines of the last recorded step. */
  List<String> report() {
    return read()
        .map(TaskStep::detail)
        .map(detail -> List.of(detail.split("\n")))
        .orElse(List.of());
  }

  private Optional<TaskStep> read() {
    return context.steps().read(context.task(), TaskStepNames.CUTOVER);
  }
}
