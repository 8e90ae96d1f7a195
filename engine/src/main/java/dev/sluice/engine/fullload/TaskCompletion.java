package dev.sluice.engine.fullload;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.postgres.catalog.SourceCatalog;
import dev.sluice.engine.capture.CaptureStart;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.load.completion.ConstraintCompletion;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Clock;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes loaded tables whole, and remembers that they are. Owned by the daemon's main thread, which
 * waits here; a stop leaves the rest to the next start.
 */
public final class TaskCompletion {
  private static final Logger LOG = LoggerFactory.getLogger(TaskCompletion.class);

  private final TaskContext parts;
  private final TaskRuntime board;
  private final CaptureStart captureStart;
  private final CompletionPhase phase;

  public TaskCompletion(
      TaskContext parts,
      PhaseTracker life,
      TaskRuntime board,
      StopRequest stop,
      CaptureStart captureStart,
      JournalGuard guard,
      Clock clock) {
    this.parts = parts;
    this.board = board;
    this.captureStart = captureStart;
    this.phase = new CompletionPhase(parts, life, board, stop, guard, clock);
  }

  /**
   * Makes what loaded tables need before changes are applied to them.
   *
   * @param capture that runs meanwhile, and is begun anew where it fails or has failed
   */
  public LoadPhase.Loaded besideCapture(
      TableCompletion completion,
      Checkpoint claimed,
      Optional<Capture> capture,
      SourceCatalog catalog)
      throws InterruptedException {
    LoadPhase.Loaded completed =
        phase.run(
            completion,
            claimed,
            capture,
            Optional.of((next, from) -> captureStart.startCapture(next, from, catalog)));
    if (!completed.stopped()) {
      try {
        keepCompleted(completed.claimed());
      } catch (RuntimeException e) {
        completed.capture().ifPresent(Capture::close);
        throw e;
      }
    }
    return completed;
  }

  /** What is left of a load without changes: indexes, constraints and triggers, sequences. */
  public void ofLoadAlone(TableCompletion completion, Checkpoint claimed)
      throws InterruptedException {
    if (phase.run(completion, claimed, Optional.empty(), Optional.empty()).stopped()) {
      return;
    }
    TableMappings mappings = parts.config().tableMappings();
    if (StartPlan.madeTables(parts.steps().all(parts.task()))) {
      TableCompletion constraints =
          ConstraintCompletion.begin(
              parts.sourceServer(),
              parts.target(),
              board.tables(),
              mappings,
              parts.completionSettings());
      if (phase.run(constraints, claimed, Optional.empty(), Optional.empty()).stopped()) {
        return;
      }
    }
    SequenceCopy.copy(parts.sourceServer(), parts.target(), board.tables(), mappings)
        .notSet()
        .forEach(sequence -> LOG.warn("not set: {}", sequence));
    keepCompleted(claimed);
    LOG.info("all tables are loaded and complete");
  }

  private void keepCompleted(Checkpoint claimed) {
    String mode =
        parts
            .steps()
            .read(parts.task(), TaskStepNames.COMPLETION)
            .map(TaskStep::detail)
            .orElseThrow(
                () -> new IllegalStateException("BUG: no step " + TaskStepNames.COMPLETION));
    parts.steps().record(claimed, TaskStepNames.COMPLETION, TaskStepNames.COMPLETION_DONE, mode);
  }
}
