package dev.sluice.engine.capture;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.RetriedWork;
import dev.sluice.config.retry.Retries;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.LogRetention;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A capture that runs in parallel to work on the target and does not interrupt it. After a
 * retryable failure, or a pause because the journal is full, it is restarted under the next epoch.
 * Owned by the daemon's main thread.
 */
public final class RestartingCapture {
  private static final Logger LOG = LoggerFactory.getLogger(RestartingCapture.class);

  private final TaskContext context;
  private final TaskRuntime runtime;
  private final JournalGuard guard;
  private final Retries retries;
  private final Optional<Starter> starter;

  private Checkpoint claimed;
  private Optional<Capture> capture;
  private volatile boolean paused;

  /**
   * @param running empty if the previous one has failed or paused: it is started again
   * @param starter empty if the task captures no changes
   */
  public RestartingCapture(
      RunningTask task,
      JournalGuard guard,
      Checkpoint claimed,
      Optional<Capture> running,
      Optional<Starter> starter) {
    this.context = task.context();
    this.runtime = task.runtime();
    this.guard = guard;
    this.retries =
        new Retries(context.retryPolicy(), context.retries(), new MonotonicClock(task.clock()));
    this.claimed = claimed;
    this.capture = running;
    this.starter = starter;
  }

  /** The checkpoint under the epoch that is held now. */
  public Checkpoint claimed() {
    return claimed;
  }

  /** Empty between a failure or a pause and the next start. */
  public Optional<Capture> capture() {
    return capture;
  }

  /** Whether it waits for room in the journal. May be called from any thread. */
  public boolean isPaused() {
    return paused;
  }

  /**
   * Checks whether it still runs, and starts it again when that is due.
   *
   * @throws SluiceException if it cannot continue
   */
  public void keepRunning() {
    if (starter.isEmpty()) {
      return;
    }
    Optional<SluiceException> ended = capture.flatMap(Capture::failure);
    if (ended.isPresent()) {
      if (!(ended.get() instanceof SluiceException.Retryable)) {
        throw ended.get();
      }
      end();
      schedule(ended.get());
    }
    pauseOrGoOn();
    if (capture.isEmpty() && !paused && retries.isDue()) {
      start(starter.get());
    }
  }

  private void pauseOrGoOn() {
    if (!paused && guard.isFull()) {
      String problem = guard.toString();
      LOG.warn("{}: the capture pauses; the source has to keep its log meanwhile", problem);
      end();
      runtime.problem(ProblemKind.JOURNAL_FULL, problem);
      paused = true;
    } else if (paused && guard.hasRoom()) {
      LOG.info("the journal has room again: the capture continues");
      runtime.noProblem(ProblemKind.JOURNAL_FULL);
      paused = false;
    }
  }

  private void start(Starter starter) {
    Optional<SluiceException> moved;
    try {
      claimed = context.claim().next();
      runtime.epoch(claimed.epoch());
      moved =
          moved(claimed.source(), ServerOfSource.comparedWith(claimed.source(), context.source()));
      if (moved.isEmpty()) {
        Position from = confirmed();
        context.source().retention().release();
        capture = Optional.of(starter.start(claimed, from));
      }
    } catch (SluiceException.Retryable e) {
      schedule(e);
      return;
    }
    if (moved.isPresent()) {
      throw moved.get();
    }
  }

  private Position confirmed() {
    LogRetention retention = context.source().retention();
    return retention
        .state()
        .map(RetentionState::confirmed)
        .orElseThrow(
            () ->
                new SluiceException.Retryable(
                    "the %s does not exist".formatted(retention.shown()), null));
  }

  /**
   * Why a capture cannot be restarted by itself: positions of another server or timeline could
   * wrongly count as applied. Only a start of the task decides about that. Pure.
   *
   * @param then the server of the checkpoint; empty if it has none
   */
  static Optional<SluiceException> moved(
      Optional<Checkpoint.SourceServer> then, SourceIdentity identity) {
    Checkpoint.SourceServer now = ServerOfSource.of(identity);
    return then.filter(server -> !server.equals(now))
        .map(
            server ->
                new SluiceException.Retryable(
                    "the source was failed over from %s to %s; the task starts again, and finds out whether its log has all that the target lacks"
                        .formatted(server, now),
                    null));
  }

  public void end() {
    capture.ifPresent(Capture::close);
    runtime.captureEnded();
    capture = Optional.empty();
  }

  private void schedule(SluiceException failed) {
    Duration wait = retries.failed().orElseThrow(() -> failed);
    LOG.warn(
        "the capture is started again in {} s; the work on the target continues: {}",
        wait.toMillis() / 1000.0,
        failed.getMessage());
    runtime.retried(RetriedWork.CAPTURE);
    runtime.problem(ProblemKind.CAPTURE_RETRY, retries.words(failed.getMessage()));
  }

  /** Starts a capture under a claimed epoch from a position. */
  public interface Starter {
    Capture start(Checkpoint claimed, Position from);
  }
}
