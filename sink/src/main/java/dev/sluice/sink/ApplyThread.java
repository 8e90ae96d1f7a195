package dev.sluice.sink;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.FilledWindow;
import dev.sluice.sink.window.WindowApplier;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that applies windows, one after the other, and makes them durable in time. It owns the
 * applier and closes it at its end. The methods are called by the intake thread, {@link #progress}
 * by any.
 */
final class ApplyThread extends Thread {
  private static final Logger LOG = LoggerFactory.getLogger(ApplyThread.class);

  /** How long a thread without work lets its applier be. */
  private static final Duration LONGEST_REST = Duration.ofMinutes(1);

  private final Lane lane;
  private final WindowApplier applier;
  private final RecoverableErrors recoverableErrors;
  private long durableNanos;
  private final ApplyLedger ledger;

  private final Lock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Under the lock.
  private FilledWindow next;
  private FilledWindow done;
  private boolean stopAsked;
  private boolean retryAsked;
  private boolean ended;

  /** When the oldest window was applied that is not durable yet. */
  private long notDurableSince;

  private volatile ApplyProgress progress;

  ApplyThread(SinkSettings settings, Lane lane, JournalOffset start, WindowApplier applier) {
    super("sluice-apply-" + settings.task());
    setDaemon(true);
    this.lane = lane;
    this.applier = applier;
    this.recoverableErrors = settings.recoverableErrors();
    this.durableNanos = settings.durableCommitInterval().toNanos();
    this.ledger = new ApplyLedger(start, applier.suspended());
    this.progress = ledger.progress();
  }

  ApplyProgress progress() {
    return progress;
  }

  Optional<SluiceException> failure() {
    return progress.failure();
  }

  /** Hands over a window; waits where the one before it has not been begun. */
  void hand(FilledWindow window) {
    lock.lock();
    try {
      while (next != null && !ended) {
        changed.awaitUninterruptibly();
      }
      next = window;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Gives back the window that was applied; empty where none was since the last call. */
  Optional<FilledWindow> takeDone() {
    lock.lock();
    try {
      FilledWindow taken = done;
      done = null;
      return Optional.ofNullable(taken);
    } finally {
      lock.unlock();
    }
  }

  /** From now on nothing failed is tried again; ends when what was handed over is durable. */
  void askToStop() {
    lock.lock();
    try {
      stopAsked = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the wait after a failure; means nothing where there is none. From any thread. */
  void retryNow() {
    lock.lock();
    try {
      retryAsked = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends its session on the target, whatever that does: nothing more is committed. */
  void breakOff() {
    applier.breakOff();
    interrupt();
  }

  /** Waits for the end; false where it has not come within the time. */
  boolean awaitStop(Duration patience) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + patience.toNanos();
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
      while (doWork()) {}
      ledger.stopped();
    } catch (SluiceException e) {
      ledger.failed(e);
    } catch (Throwable e) {
      ledger.failed(new SluiceException.Fatal("BUG: the apply thread failed: " + e, e));
    } finally {
      // First of all: what comes after it may fail as well, and nobody would know why this ended.
      progress = ledger.progress();
      closeApplier();
      lock.lock();
      try {
        ended = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Applies a window or makes those before it durable; false at the end. */
  private boolean doWork() {
    FilledWindow window = awaitNext();
    if (window != null) {
      apply(window);
      giveBack(window);
    } else if (isFinished()) {
      makeDurable();
      progress = ledger.progress();
      return false;
    }
    if (!ledger.isAllDurable() && untilDurable() <= 0) {
      makeDurable();
      progress = ledger.progress();
    }
    applier.rest(System.nanoTime());
    return true;
  }

  private FilledWindow awaitNext() {
    lock.lock();
    try {
      long restEnds = System.nanoTime() + LONGEST_REST.toNanos();
      while (next == null && !stopAsked) {
        long left = restEnds - System.nanoTime();
        if (!ledger.isAllDurable()) {
          left = Math.min(left, untilDurable());
        }
        if (left <= 0) {
          return null;
        }
        changed.awaitNanos(left);
      }
      FilledWindow taken = next;
      next = null;
      changed.signalAll();
      return taken;
    } catch (InterruptedException e) {
      throw new SluiceException.Retryable("the apply thread was interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  private void apply(FilledWindow filled) {
    ClosedWindow window = filled.window();
    durableNanos = window.tuning().durableCommitInterval().toNanos();
    long start = System.nanoTime();
    boolean allDurable = ledger.isAllDurable();
    AppliedWindow result =
        withRetries("apply the window up to " + window.position(), () -> applier.apply(window));
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    ledger.applied(window, result, applier.suspended(), took);
    if (allDurable) {
      notDurableSince = System.nanoTime();
    }
    LOG.debug(
        "window up to {} applied: {} changes -> {} net changes in {} statements, {} ms",
        window.position(),
        window.changes(),
        result.netChanges(),
        result.statements(),
        took.toMillis());
    // Other lanes go on after a window for all: a crash must not take back what they rest on.
    if (ledger.hasFenceToHarden() || lane.isForAll(window.filter())) {
      makeDurable();
    }
  }

  private void makeDurable() {
    if (ledger.isAllDurable()) {
      return;
    }
    withRetries(
        "make the applied windows durable",
        () -> {
          applier.makeDurable();
          return true;
        });
    ledger.durable();
  }

  private <T> T withRetries(String what, Supplier<T> call) {
    for (int failures = 1; ; failures++) {
      try {
        return call.get();
      } catch (SluiceException.LostCache e) {
        // The window itself is lost here; the journal has it.
        throw e;
      } catch (SluiceException.Retryable e) {
        Optional<Duration> wait = recoverableErrors.waitAfter(failures);
        if (wait.isEmpty() || isStopping()) {
          throw e;
        }
        LOG.warn(
            "could not {} ({} times in a row), again in {} ms: {}",
            what,
            failures,
            wait.get().toMillis(),
            e.getMessage());
        Instant due = Instant.now().plus(wait.get()).truncatedTo(ChronoUnit.SECONDS);
        ledger.retrying("%s; next try at %s".formatted(e.getMessage(), due));
        progress = ledger.progress();
        awaitNextTry(wait.get());
      }
    }
  }

  private void awaitNextTry(Duration wait) {
    lock.lock();
    try {
      long left = wait.toNanos();
      retryAsked = false;
      while (!stopAsked && !retryAsked && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      throw new SluiceException.Retryable("the apply thread was interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  /** Whoever sees in the progress that it was applied can take it. */
  private void giveBack(FilledWindow window) {
    lock.lock();
    try {
      done = window;
      progress = ledger.progress();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A window may have been handed over after the wait for one has ended. */
  private boolean isFinished() {
    lock.lock();
    try {
      return stopAsked && next == null;
    } finally {
      lock.unlock();
    }
  }

  private boolean isStopping() {
    lock.lock();
    try {
      return stopAsked;
    } finally {
      lock.unlock();
    }
  }

  private long untilDurable() {
    return notDurableSince + durableNanos - System.nanoTime();
  }

  private void closeApplier() {
    try {
      applier.close();
    } catch (RuntimeException | Error e) {
      LOG.warn("the applier could not be closed: {}", e.toString());
    }
  }
}
