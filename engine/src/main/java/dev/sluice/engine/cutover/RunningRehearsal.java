package dev.sluice.engine.cutover;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The rehearsal that runs, of which there is one at most, on the thread of its request. So the
 * daemon's end lets everybody go whom it holds. Threadsafe.
 */
final class RunningRehearsal {
  /** Null if none runs. */
  private Thread thread;

  private boolean closed;

  /**
   * Runs the work, which ends soon when its thread is interrupted.
   *
   * @return empty, without running it, if another one runs, or none may begin any more
   */
  <T> Optional<T> run(Supplier<T> work) {
    synchronized (this) {
      if (thread != null || closed) {
        return Optional.empty();
      }
      thread = Thread.currentThread();
    }
    try {
      return Optional.of(work.get());
    } finally {
      synchronized (this) {
        thread = null;
        notifyAll();
      }
    }
  }

  synchronized boolean isRunning() {
    return thread != null;
  }

  /** None begins any more; the one that runs is interrupted, and waited for. */
  synchronized void close(Duration longest) throws InterruptedException {
    closed = true;
    if (thread != null) {
      thread.interrupt();
      long deadline = System.nanoTime() + longest.toNanos();
      while (thread != null && System.nanoTime() < deadline) {
        wait(longest.toMillis());
      }
    }
  }
}
