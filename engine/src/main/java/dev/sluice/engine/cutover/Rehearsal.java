package dev.sluice.engine.cutover;

import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.RehearsalTimes;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A cutover up to its decision on the live system, which is released again. Its times are recorded
 * on the target, for the next report. Used by one thread.
 */
final class Rehearsal {
  private final TaskContext context;
  private final CutoverTask live;
  private final CutoverProgress progress;
  private final StoppedPeriod period;
  private final Clock clock;

  Rehearsal(TaskContext context, Fences fences, CutoverTask live, CutoverHooks hooks, Clock clock) {
    this.context = context;
    this.live = live;
    this.clock = clock;
    this.progress = new CutoverProgress(clock);
    this.period =
        new StoppedPeriod(
            context, new CutoverFences(context.task(), fences), live, progress, hooks, clock);
  }

  /** Where it stands. Called by any thread. */
  CutoverStatus status() {
    return progress.status();
  }

  /** Runs it; the outcome says for how long writers were stopped. */
  Outcome run(CutoverOrder order) {
    try {
      StoppedPeriod.Rehearsed rehearsed = period.rehearse(order);
      live.record(
          TaskStepNames.REHEARSAL,
          TaskStepNames.REHEARSAL_DONE,
          new RehearsalTimes(
                  clock.instant().truncatedTo(ChronoUnit.SECONDS),
                  rehearsed.locking(),
                  rehearsed.proving(),
                  rehearsed.stopped())
              .text());
      List<String> lines = new ArrayList<>(progress.timeline());
      Optional<String> held = live.held();
      lines.add(held.orElse("the writers go on"));
      double seconds = rehearsed.stopped().toMillis() / 1000.0;
      String done =
          "rehearsed: the writers of the source were stopped for %d ms%s; nothing is changed"
              .formatted(
                  rehearsed.stopped().toMillis(), held.map(", but "::concat).orElse(" and go on"));
      progress.done(done, seconds, figures(rehearsed));
      return Outcome.of(held.isPresent() ? Ending.NOT_COVERED : Ending.DONE, seconds, done, lines);
    } catch (SluiceException e) {
      String failed =
          "the rehearsal failed, and nothing is changed: "
              + e.getMessage()
              + live.held().map("; "::concat).orElse("");
      progress.failed(failed);
      return new Outcome(false, 0, failed, progress.timeline());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      progress.failed("interrupted, since the daemon ends");
      return new Outcome(false, 0, "interrupted, since the daemon ends", List.of());
    }
  }

  private static List<String> figures(StoppedPeriod.Rehearsed rehearsed) {
    return List.of(
        "attempts to lock the tables: " + rehearsed.attempts(),
        "locking, in the last one: %d ms".formatted(rehearsed.locking().toMillis()),
        "proving that the target has everything: %d ms".formatted(rehearsed.proving().toMillis()),
        "writers stopped: %d ms in all".formatted(rehearsed.stopped().toMillis()));
  }
}
