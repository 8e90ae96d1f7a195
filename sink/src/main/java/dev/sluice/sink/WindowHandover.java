package dev.sluice.sink;

import dev.sluice.config.retry.RetryRequests;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.progress.WindowCost;
import dev.sluice.sink.window.FilledWindow;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the intake thread and the apply thread exchange: the next window, what the last one cost,
 * and what is asked of the apply thread. Threadsafe; without another word a method is for any
 * thread.
 */
final class WindowHandover {
  private final RetryRequests retryRequests;
  private final Lock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Under the lock.
  private FilledWindow next;
  private WindowCost done;
  private boolean stopAsked;
  private boolean ended;

  /** Null while windows follow each other. */
  private WindowHold hold;

  /**
   * @param retryRequests those of the apply thread
   */
  WindowHandover(RetryRequests retryRequests) {
    this.retryRequests = retryRequests;
  }

  /** Submits a window. Blocks while the previous one has not been started. Intake thread. */
  void submit(FilledWindow window) {
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

  /**
   * Returns what the window cost that was applied since the last call; empty if none was. Intake
   * thread.
   */
  Optional<WindowCost> takeDone() {
    lock.lock();
    try {
      WindowCost taken = done;
      done = null;
      return Optional.ofNullable(taken);
    } finally {
      lock.unlock();
    }
  }

  void askToStop() {
    lock.lock();
    try {
      stopAsked = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void retryNow() {
    lock.lock();
    try {
      retryRequests.ask();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * @param next null: windows follow each other
   */
  void hold(WindowHold next) {
    lock.lock();
    try {
      hold = next;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the next window, once there is one and it is not held. Apply thread.
   *
   * @param applied up to where changes are applied
   * @param longest nanoseconds
   * @return null if there is none after that time, or if a stop was asked for
   */
  FilledWindow take(Position applied, long longest) throws InterruptedException {
    lock.lock();
    try {
      long ends = System.nanoTime() + longest;
      for (long held = held(applied);
          (next == null || held > 0) && !stopAsked;
          held = held(applied)) {
        long left = ends - System.nanoTime();
        if (held > 0) {
          left = Math.min(left, held);
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
    } finally {
      lock.unlock();
    }
  }

  /** For how long no window may be begun. Under the lock. */
  private long held(Position applied) {
    return hold == null ? 0 : hold.left(applied, System.nanoTime());
  }

  /**
   * Returns a window's cost to the intake thread. Apply thread.
   *
   * @param publish publishes the progress, under the lock: who sees it can take the window
   */
  void applied(WindowCost window, Runnable publish) {
    lock.lock();
    try {
      done = window;
      publish.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** No window is taken any more. Apply thread. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a call of another thread. Returns whether a stop was requested. */
  boolean awaitChange(Duration longest) throws InterruptedException {
    lock.lock();
    try {
      if (!stopAsked) {
        changed.await(longest.toMillis(), TimeUnit.MILLISECONDS);
      }
      return stopAsked;
    } finally {
      lock.unlock();
    }
  }

  /**
   * True if the apply thread is to end. A window may have been submitted after the wait for one
   * ended.
   */
  boolean isFinished() {
    lock.lock();
    try {
      return stopAsked && next == null;
    } finally {
      lock.unlock();
    }
  }

  boolean isStopping() {
    lock.lock();
    try {
      return stopAsked;
    } finally {
      lock.unlock();
    }
  }
}
