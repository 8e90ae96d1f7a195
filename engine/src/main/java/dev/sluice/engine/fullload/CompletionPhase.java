package dev.sluice.engine.fullload;

import dev.sluice.connector.api.Capture;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.capture.RestartingCapture;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until loaded tables have what they need before changes are applied to them, with the
 * capture beside it. Owned by the daemon's main thread.
 */
final class CompletionPhase {
  private static final Logger LOG = LoggerFactory.getLogger(CompletionPhase.class);

  private static final Duration LOOK = Duration.ofMillis(50);

  private final TaskContext parts;
  private final PhaseTracker life;
  private final TaskRuntime board;
  private final StopRequest stop;
  private final JournalGuard guard;
  private final Clock clock;

  CompletionPhase(
      TaskContext parts,
      PhaseTracker life,
      TaskRuntime board,
      StopRequest stop,
      JournalGuard guard,
      Clock clock) {
    this.parts = parts;
    this.life = life;
    this.board = board;
    this.stop = stop;
    this.guard = guard;
    this.clock = clock;
  }

  /**
   * Waits, and closes the completion. What is not made by then is made at the next start.
   *
   * @param running that was started after the load's snapshot; closed where this does not return it
   * @param starter starts another one; empty where the task follows no changes
   * @return how the load ended with it
   */
  LoadPhase.Loaded run(
      TableCompletion completion,
      Checkpoint claimed,
      Optional<Capture> running,
      Optional<RestartingCapture.Starter> starter)
      throws InterruptedException {
    RestartingCapture capture =
        new RestartingCapture(parts, board, guard, clock, claimed, running, starter);
    boolean whole = false;
    try (completion) {
      board.completion(completion);
      life.enter(Phase.COMPLETING, completion.open() + " steps are left to complete the tables");
      while (!whole && !stop.isAsked()) {
        whole = completion.await(LOOK);
        capture.look();
      }
      if (whole) {
        LOG.info("tables completed: {}", completion.summary());
      }
      return new LoadPhase.Loaded(capture.claimed(), capture.capture(), !whole);
    } finally {
      if (!whole) {
        capture.end();
      }
    }
  }
}
