package dev.sluice.engine.cutover;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.FallbackConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.readiness.Coverage;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.replication.Fences;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The proof that the target has everything, while all writers of the source are stopped. Owned by
 * the cutover, used by its thread.
 */
final class LastProof {
  /** The server counts the budget with a clock of its own, and may end it a moment earlier. */
  private static final Duration CLOCKS = Duration.ofMillis(500);

  private final TaskContext context;
  private final CutoverFences fences;
  private final Coverage coverage;
  private final CutoverProgress progress;
  private final Clock intervals;

  /**
   * @param intervals for elapsed time: it never goes back
   */
  LastProof(
      TaskContext context,
      CutoverFences fences,
      Coverage coverage,
      CutoverProgress progress,
      Clock intervals) {
    this.context = context;
    this.fences = fences;
    this.coverage = coverage;
    this.progress = progress;
    this.intervals = intervals;
  }

  /**
   * Proves under the locks that the target has everything.
   *
   * @return how long that took
   * @throws SluiceException if it lacks something, or the budget is over
   */
  Duration prove(StoppedWriters stopped, CutoverProof proof, Budget budget)
      throws InterruptedException {
    Instant begun = intervals.instant();
    progress.step("waiting for the last fence to come out of the sink");
    CompletableFuture<Fences.Passage> fence = fence(budget.left());
    Fences.Passage passage;
    try {
      prepareMove(stopped, budget);
      progress.reached(
          stopped.refusesDdl()
              ? "the source is ready to refuse writers and DDL"
              : "the source is ready to refuse writers; it will not refuse DDL, since this user may"
                  + " not make event triggers there");
      passage = fence.get(budget.left().toMillis() + 1, TimeUnit.MILLISECONDS);
      if (passage.missing().isPresent()) {
        throw budget.over("the target did not catch up: " + passage.missing().get());
      }
    } catch (TimeoutException e) {
      throw budget.over("the target did not catch up");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException known) {
        throw known;
      }
      throw new IllegalStateException("BUG: the last fence fails", e.getCause());
    } finally {
      fence.cancel(true);
    }
    progress.reached("the last fence came out of the sink, at " + passage.fence());
    budget.require("the target was checked");
    progress.step("checking what the target lacks");
    requireLocked(stopped);
    List<Gap> lacking = new ArrayList<>(coverage.ofSuspendedTables());
    lacking.addAll(coverage.ofChanges());
    // Without event triggers a column may have come after the last look.
    lacking.addAll(coverage.ofDefinitions());
    Gap.require(lacking);
    progress.reached("the target lacks nothing");
    proof.await(budget);
    proof.lines().forEach(progress::reached);
    budget.require("the sequences");
    return Duration.between(begun, intervals.instant());
  }

  private CompletableFuture<Fences.Passage> fence(Duration timeout) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return fences.passage(timeout);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Fences.Passage(Position.ZERO, Optional.of("the daemon ends"));
          }
        });
  }

  /** A table may have become selected after the locks were taken. */
  private void requireLocked(StoppedWriters stopped) {
    List<TableId> free =
        context.replicated().stream().filter(table -> !stopped.tables().contains(table)).toList();
    if (!free.isEmpty()) {
      throw new SluiceException.Fatal(
          new Problem(
              "cutover of task " + context.task(),
              "tables appeared while the writers were being stopped: " + free,
              "the same tables before and after",
              "Run sluice cutover again"));
    }
  }

  /** The end of the budget cuts the session, and may be seen as any failure of it. */
  private void prepareMove(StoppedWriters stopped, Budget budget) {
    try {
      stopped.prepareMove(context.movedTo(), context.config().fallback().map(FallbackConfig::user));
    } catch (SluiceException e) {
      throw budget.left().compareTo(CLOCKS) <= 0
          ? budget.over("the source was not ready to refuse writers: " + e.getMessage())
          : e;
    }
  }
}
