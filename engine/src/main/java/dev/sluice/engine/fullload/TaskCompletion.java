package dev.sluice.engine.fullload;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.capture.CaptureStart;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.PlannedConstraints;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.load.completion.CompletionProgress;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.control.task.TaskStep;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes the loaded tables, and records that they are complete. Owned by the daemon's main
 * thread, which waits here; after a stop the next start does the rest.
 */
public final class TaskCompletion {
  private static final Logger LOG = LoggerFactory.getLogger(TaskCompletion.class);

  private final TaskContext context;
  private final TaskRuntime runtime;
  private final CaptureStart captureStart;
  private final CompletionPhase phase;

  public TaskCompletion(RunningTask task, CaptureStart captureStart, JournalGuard guard) {
    this.context = task.context();
    this.runtime = task.runtime();
    this.captureStart = captureStart;
    this.phase = new CompletionPhase(task, guard);
  }

  /** Shows in the status what was completed before, also by earlier daemons. */
  public void showEarlier() {
    runtime.completed(
        context.completionJournal().read().stream().map(CompletionProgress::of).toList());
  }

  /**
   * Creates what the loaded tables need before changes are applied to them.
   *
   * @param capture runs meanwhile; started again if it fails or has failed
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

  /** Finishes a load without changes: indexes, constraints, triggers and sequences. */
  public void ofLoadAlone(TableCompletion completion, Checkpoint claimed)
      throws InterruptedException {
    runtime.atWork();
    if (phase.run(completion, claimed, Optional.empty(), Optional.empty()).stopped()) {
      return;
    }
    TableMappings mappings = context.config().tableMappings();
    if (StartPlan.madeTables(context.steps().all(context.task()))) {
      TableCompletion constraints =
          PlannedConstraints.begin(
              context.source().reader(),
              context.target(),
              runtime.tables(),
              mappings,
              context.completionSettings(),
              EpochFence.of(context.controlSchema(), claimed));
      if (phase.run(constraints, claimed, Optional.empty(), Optional.empty()).stopped()) {
        return;
      }
    }
    SequenceCopy.copy(context.source().reader(), context.target(), runtime.tables(), mappings)
        .notSet()
        .forEach(sequence -> LOG.warn("sequence not set: {}", sequence));
    keepCompleted(claimed);
    LOG.info("all tables are loaded and complete");
  }

  private void keepCompleted(Checkpoint claimed) {
    String mode =
        context
            .steps()
            .read(context.task(), TaskStepNames.COMPLETION)
            .map(TaskStep::detail)
            .orElseThrow(
                () -> new IllegalStateException("BUG: no step " + TaskStepNames.COMPLETION));
    context.steps().record(claimed, TaskStepNames.COMPLETION, TaskStepNames.COMPLETION_DONE, mode);
  }
}
