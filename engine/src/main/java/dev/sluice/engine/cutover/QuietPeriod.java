package dev.sluice.engine.cutover;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.journal.FenceScan;
import dev.sluice.engine.readiness.Coverage;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.readiness.OpenWriters;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Proves, without stopping anybody, that the source is quiet and that the target has everything:
 * two fences around a time without a change. Used by the cutover's thread.
 */
final class QuietPeriod {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  private final TaskContext context;
  private final CutoverFences fences;
  private final CutoverTask live;
  private final CutoverProgress progress;
  private final Coverage coverage;
  private final Clock clock;

  QuietPeriod(
      TaskContext context,
      CutoverFences fences,
      CutoverTask live,
      CutoverProgress progress,
      Clock clock) {
    this.context = context;
    this.fences = fences;
    this.live = live;
    this.progress = progress;
    this.coverage = new Coverage(context);
    this.clock = clock;
  }

  /**
   * Runs it, and notes on the target that both sides are equal.
   *
   * @param timeout for each wait
   * @return when the first fence was written
   * @throws SluiceException if the source was not quiet or the target lacks something
   */
  Instant run(Duration timeout) throws InterruptedException {
    progress.step("waiting for open transactions on the source to end");
    awaitNoWriter(timeout);
    QuietSource quiet = QuietSource.from(context);
    long readFrom = live.replication().sink().apply().durable().nextOffset();
    Instant begun = clock.instant();
    progress.step("waiting for the first fence to come out of the sink");
    Position first = fences.pass(timeout);
    Gap.require(coverage.ofDefinitions());
    Duration quietTime = context.config().taskSettings().get(SluiceSettings.CUTOVER_QUIET_TIME);
    progress.step(
        "the first fence came out; the source must be quiet for %s s"
            .formatted(quietTime.toMillis() / 1000.0));
    Thread.sleep(quietTime.toMillis());
    progress.step("waiting for open transactions on the source to end again");
    awaitNoWriter(timeout);
    progress.step("waiting for the second fence to come out of the sink");
    Position second = fences.pass(timeout);
    List<Problem> written =
        quiet.problems(
            FenceScan.changesBetween(live.kafka(), context.topics(), readFrom, first, second));
    if (!written.isEmpty()) {
      throw new SluiceException.Fatal(written);
    }
    List<Gap> lacking = new ArrayList<>(coverage.ofSuspendedTables());
    lacking.addAll(coverage.ofChanges());
    Gap.require(lacking);
    live.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_QUIET, begun.toString());
    return begun;
  }

  private void awaitNoWriter(Duration timeout) throws InterruptedException {
    List<OpenTransaction> open =
        Polling.every(POLL_INTERVAL, new MonotonicClock(clock))
            .until(timeout, context.source().log()::openTransactions, List::isEmpty);
    OpenWriters.problem(context.task(), open, timeout)
        .ifPresent(
            problem -> {
              throw new SluiceException.Fatal(problem);
            });
  }
}
