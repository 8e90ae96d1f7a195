package dev.sluice.engine.cutover;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.CutoverOutcome;
import dev.sluice.engine.cutover.hook.HookReport;
import dev.sluice.engine.status.ProblemKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applications that a hook could not let go: it is tried again until it succeeds, and shown in the
 * status. Threadsafe.
 */
final class LeftHeld implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeftHeld.class);

  private static final Duration INTERVAL = Duration.ofSeconds(3);

  private final CutoverHooks hooks;
  private final TaskRuntime runtime;
  private final Supplier<Optional<CutoverOutcome>> outcome;
  private final PeriodicTask trying;
  private List<Problem> problems = List.of();

  /**
   * @param outcome where the applications belong now; empty while that is not known, or while a
   *     cutover or a rehearsal holds them
   */
  LeftHeld(CutoverHooks hooks, TaskRuntime runtime, Supplier<Optional<CutoverOutcome>> outcome) {
    this.hooks = hooks;
    this.runtime = runtime;
    this.outcome = outcome;
    this.trying =
        new PeriodicTask(
            "sluice-left-held",
            INTERVAL,
            this::tryAgain,
            e -> LOG.warn("applications that may be held: {}", e.getMessage()));
  }

  void start() {
    trying.start();
  }

  /** Applications may be held, for these reasons. */
  synchronized void add(List<Problem> failed) {
    problems = List.copyOf(failed);
    runtime.problem(ProblemKind.HELD, words());
  }

  /** In words, why applications may be held; empty if none are. */
  synchronized Optional<String> words() {
    return problems.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "a hook failed, so applications may still be held: "
                + problems.stream().map(Problem::toString).collect(Collectors.joining("; "))
                + ". It is tried again every "
                + INTERVAL.toSeconds()
                + " s");
  }

  private void tryAgain() {
    if (words().isEmpty()) {
      return;
    }
    Optional<CutoverOutcome> where = outcome.get();
    if (where.isEmpty()) {
      return;
    }
    try {
      HookReport report = hooks.resumeLeft("", where.get());
      report.lines().forEach(line -> LOG.warn("held since a cutover: {}", line));
      add(report.notLetGo());
    } catch (SluiceException e) {
      LOG.warn("what holds the applications cannot be read: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    trying.close();
  }
}
