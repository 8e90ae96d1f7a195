package dev.sluice.engine.fullload;

import dev.sluice.connector.api.Capture;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.capture.RestartingCapture;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until the loaded tables have the keys and indexes that are needed before changes are
 * applied, and keeps the capture running. Owned by the daemon's main thread.
 */
final class CompletionPhase {
  private static final Logger LOG = LoggerFactory.getLogger(CompletionPhase.class);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  private final RunningTask task;
  private final PhaseTracker phases;
  private final TaskRuntime runtime;
  private final StopRequest stop;
  private final JournalGuard guard;

  CompletionPhase(RunningTask task, JournalGuard guard) {
    this.task = task;
    this.phases = task.phases();
    this.runtime = task.runtime();
    this.stop = task.stop();
    this.guard = guard;
  }

  /**
   * Waits for the completion and closes it. Steps that are not done then are done at the next
   * start.
   *
   * @param running the capture since the load's snapshot; closed unless it is returned
   * @param starter starts the capture again; empty if the task captures no changes
   * @return the present capture and checkpoint, and whether a stop ended the wait
   */
  LoadPhase.Loaded run(
      TableCompletion completion,
      Checkpoint claimed,
      Optional<Capture> running,
      Optional<RestartingCapture.Starter> starter)
      throws InterruptedException {
    RestartingCapture capture = new RestartingCapture(task, guard, claimed, running, starter);
    boolean complete = false;
    try (completion) {
      runtime.completion(completion);
      phases.enter(Phase.COMPLETING, completion.open() + " steps left to complete the tables");
      while (!complete && !stop.isAsked()) {
        complete = completion.await(POLL_INTERVAL);
        capture.keepRunning();
      }
      if (complete) {
        LOG.info("tables completed: {}", completion.summary());
      }
      return new LoadPhase.Loaded(capture.claimed(), capture.capture(), !complete);
    } finally {
      if (!complete) {
        capture.end();
      }
    }
  }
}
