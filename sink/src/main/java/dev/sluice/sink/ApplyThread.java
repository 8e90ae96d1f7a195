package dev.sluice.sink;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.RetriedWork;
import dev.sluice.config.retry.RetryRequests;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.progress.LastWindow;
import dev.sluice.sink.progress.WindowCost;
import dev.sluice.sink.progress.WindowListener;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.FilledWindow;
import dev.sluice.sink.window.StageTimes;
import dev.sluice.sink.window.WindowApplier;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that applies windows one after another and makes them durable at the set interval. It
 * owns the applier and closes it when it ends. The intake thread calls its methods; {@link
 * #progress}, {@link #retryNow}, {@link #hold} and {@link #release} may be called from any thread.
 */
final class ApplyThread extends Thread {
  private static final Logger LOG = LoggerFactory.getLogger(ApplyThread.class);

  /** Longest wait without work before the applier's housekeeping runs. */
  private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);

  private final Lane lane;
  private final WindowApplier applier;

  /** To compare with the source's commit times, which are of a wall clock as well. */
  private final Clock wallClock = Clock.systemUTC();

  private final ApplyLedger ledger;

  private final WindowHandover handover;
  private final ApplyRetries retries;
  private final DurableInterval durable;

  private volatile ApplyProgress progress;

  private volatile WindowListener listener = WindowListener.NONE;

  /** Null if nothing wakes the intake thread. */
  private volatile Runnable wake;

  ApplyThread(SinkSettings settings, Lane lane, JournalOffset start, WindowApplier applier) {
    super("sluice-apply-" + settings.task());
    setDaemon(true);
    this.lane = lane;
    this.applier = applier;
    RetryRequests retryRequests = new RetryRequests();
    this.handover = new WindowHandover(retryRequests);
    this.retries =
        new ApplyRetries(settings.retryPolicy(), retryRequests, handover, this::retrying);
    this.durable = new DurableInterval(settings.get(SluiceSettings.DURABLE_COMMIT_INTERVAL));
    this.ledger = new ApplyLedger(start, applier.suspended());
    this.progress = ledger.progress();
  }

  ApplyProgress progress() {
    return progress;
  }

  /** Notifies this listener of the windows that are applied from now on. Called from any thread. */
  void reportTo(WindowListener next) {
    listener = next;
  }

  /** Calls this after each window, and at the end of this thread. Must not block. */
  void wakeIntakeWith(Runnable call) {
    wake = call;
  }

  /** True if the intake thread need not check whether its window is applied. */
  boolean wakesIntake() {
    return wake != null;
  }

  Optional<SluiceException> failure() {
    return progress.failure();
  }

  /** Submits a window. Blocks while the previous one has not been started. */
  void submit(FilledWindow window) {
    handover.submit(window);
  }

  /** Returns what the window cost that was applied since the last call; empty if none was. */
  Optional<WindowCost> takeDone() {
    return handover.takeDone();
  }

  /**
   * Asks the thread to end when all submitted windows are durable. From now on failures are not
   * retried.
   */
  void askToStop() {
    handover.askToStop();
  }

  /** Ends the wait after a failure; without one it does nothing. Called from any thread. */
  void retryNow() {
    handover.retryNow();
  }

  /**
   * From the first window on that has reached the position, no further one is begun, until this is
   * released or its time is over. In place of an earlier hold. A stop does not wait for it. Called
   * from any thread.
   */
  void hold(Position from, Duration longest) {
    handover.hold(new WindowHold(from, System.nanoTime() + longest.toNanos()));
  }

  /** Windows follow each other again; without a hold it does nothing. Called from any thread. */
  void release() {
    handover.hold(null);
  }

  /** Terminates the session on the target at once: nothing more is committed. */
  void breakOff() {
    applier.breakOff();
    interrupt();
  }

  /** Waits until the thread has ended. Returns false if it has not ended within the timeout. */
  boolean awaitStop(Duration timeout) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + timeout.toNanos();
    while (isAlive() && System.nanoTime() < deadline) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(this, deadline - System.nanoTime());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !isAlive();
  }

  @Override
  public void run() {
    try {
      prepare();
      while (doWork()) {}
      ledger.stopped();
    } catch (SluiceException e) {
      ledger.failed(e);
    } catch (Throwable e) {
      ledger.failed(new SluiceException.Fatal("BUG: the apply thread failed: " + e, e));
    } finally {
      // First of all: the steps below may fail too, and the reason would be lost.
      progress = ledger.progress();
      closeApplier();
      handover.end();
      wakeIntake();
    }
  }

  /** The first window retries what fails here, and reports it. */
  private void prepare() {
    try {
      applier.prepare();
    } catch (SluiceException e) {
      LOG.debug("the session on the target is not open yet: {}", e.getMessage());
    }
  }

  /**
   * Applies a window or makes the applied ones durable. Returns false when the thread is to end.
   */
  private boolean doWork() {
    FilledWindow window = awaitNext();
    if (window != null) {
      returnApplied(apply(window));
    } else if (handover.isFinished()) {
      makeDurable();
      progress = ledger.progress();
      return false;
    }
    if (!ledger.isAllDurable() && durable.left(System.nanoTime()) <= 0) {
      makeDurable();
      progress = ledger.progress();
    }
    applier.rest(System.nanoTime());
    return true;
  }

  private FilledWindow awaitNext() {
    long idle = LONGEST_IDLE.toNanos();
    try {
      return handover.take(
          progress.applied().position(),
          ledger.isAllDurable() ? idle : Math.min(idle, durable.left(System.nanoTime())));
    } catch (InterruptedException e) {
      throw new SluiceException.Retryable("the apply thread was interrupted", e);
    }
  }

  private WindowCost apply(FilledWindow filled) {
    ClosedWindow window = filled.window();
    durable.setLength(window.tuning().durableCommitInterval());
    long start = System.nanoTime();
    boolean allDurable = ledger.isAllDurable();
    long bytes = filled.bytes();
    Map<ApplyStage, Duration> stagesBefore = applier.stages();
    AppliedWindow result = retries.run(RetriedWork.APPLY, () -> applier.apply(window));
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    Instant appliedAt = wallClock.instant();
    Duration visible = Duration.between(window.firstCommit(), appliedAt);
    LastWindow counted = ledger.applied(window, result, applier.suspended(), took, visible);
    Map<ApplyStage, Duration> stages = applier.stages();
    ledger.stages(stages);
    WindowCost cost =
        new WindowCost(
            lane.id(),
            appliedAt,
            counted,
            filled.filling(),
            visible,
            StageTimes.between(stagesBefore, stages),
            bytes,
            ledger.takeRetries());
    listener.applied(cost);
    if (allDurable) {
      durable.begin(System.nanoTime());
    }
    LOG.debug(
        "window up to {} applied: {} changes -> {} net changes in {} statements, {} ms",
        window.position(),
        window.changes(),
        result.netChanges(),
        result.statements(),
        took.toMillis());
    // Other lanes continue after a window for all lanes: a crash must not undo what they build on.
    if (ledger.hasFenceToHarden() || lane.isForAll(window.filter())) {
      makeDurable();
    }
    return cost;
  }

  private void makeDurable() {
    if (ledger.isAllDurable()) {
      return;
    }
    retries.run(
        RetriedWork.DURABLE,
        () -> {
          applier.makeDurable();
          return true;
        });
    ledger.durable();
    ledger.stages(applier.stages());
  }

  private void retrying(RetriedWork work, String reason) {
    ledger.retrying(work, reason);
    progress = ledger.progress();
  }

  private void returnApplied(WindowCost window) {
    handover.applied(window, () -> progress = ledger.progress());
    // Last: the intake thread then finds the window applied.
    wakeIntake();
  }

  private void wakeIntake() {
    Runnable call = wake;
    if (call != null) {
      call.run();
    }
  }

  private void closeApplier() {
    try {
      applier.close();
    } catch (RuntimeException | Error e) {
      LOG.warn("the applier could not be closed: {}", e.toString());
    }
  }
}
