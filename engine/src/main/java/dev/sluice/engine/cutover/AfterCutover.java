package dev.sluice.engine.cutover;

import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.ReturnToSource;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Says what is true once the target can be used. Used by the coordinator; threadsafe. */
final class AfterCutover {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
  private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(10);

  private final TaskContext context;
  private final CutoverSteps steps;
  private final SourceWatch watch;
  private final Clock intervals;

  /**
   * @param intervals for elapsed time: it never goes back
   */
  AfterCutover(TaskContext context, CutoverSteps steps, SourceWatch watch, Clock intervals) {
    this.context = context;
    this.steps = steps;
    this.watch = watch;
    this.intervals = intervals;
  }

  /**
   * The verdict of a cutover that is done.
   *
   * @param open whether constraints are still being validated
   * @param moved false if a hook failed that was to bring applications to the target
   * @param asksSource whether the source can tell what was written to it since
   */
  Outcome usable(
      double seconds,
      boolean open,
      boolean moved,
      List<String> report,
      BooleanSupplier asksSource) {
    List<String> details = new ArrayList<>(report);
    Optional<String> written = Optional.empty();
    try {
      written = asksSource.getAsBoolean() ? pollSource() : Optional.empty();
    } catch (SluiceException e) {
      details.add("the source could not be checked for later changes: " + e.getMessage());
    }
    String done =
        (open
                ? "cut over: the target can be used, its constraints are being validated; sluice"
                    + " status shows the progress"
                : "cut over")
            + (moved
                ? ""
                : ", but a hook failed: applications may be held, or connected to the source");
    return written.isPresent()
        ? Outcome.of(Ending.NOT_COVERED, seconds, done + ", but " + written.get(), details)
        : Outcome.of(moved ? Ending.DONE : Ending.NOT_COVERED, seconds, done, details);
  }

  /**
   * Checks the source, with retries: the log is free shortly after the capture's end. Bounded by a
   * time and not by a count, and no failure for the status, so without {@code Retries}.
   */
  private Optional<String> pollSource() {
    Instant deadline = intervals.instant().plus(RELEASE_TIMEOUT);
    while (true) {
      try {
        return watch.poll();
      } catch (SluiceException e) {
        if (intervals.instant().isAfter(deadline)) {
          throw e;
        }
        LockSupport.parkNanos(POLL_INTERVAL.toNanos());
      }
    }
  }

  /**
   * That the applications are at the source again, or that nobody knows; empty if they are at the
   * target.
   */
  Optional<Outcome> returned() {
    try {
      return ReturnToSource.of(context)
          .map(
              back ->
                  Outcome.of(Ending.NOT_COVERED, 0, "cut over, but " + back.words(), List.of()));
    } catch (SluiceException e) {
      return Optional.of(
          Outcome.of(
              Ending.NOT_COVERED,
              0,
              "cut over, but the source does not say whether the applications were brought back to"
                  + " it since, and where they belong: "
                  + e.getMessage(),
              List.of()));
    }
  }

  /**
   * The answer to a request for a cutover that is done.
   *
   * @param validates whether it still validates constraints
   */
  Outcome alreadyDone(boolean validates) {
    String done =
        validates ? "cut over already, its constraints are being validated" : "cut over already";
    return watch
        .written()
        .map(
            written -> Outcome.of(Ending.NOT_COVERED, 0, done + ", but " + written, steps.report()))
        .orElseGet(() -> new Outcome(true, 0, done, steps.report()));
  }
}
