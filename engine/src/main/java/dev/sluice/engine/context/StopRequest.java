package dev.sluice.engine.context;

import dev.sluice.config.document.SluiceException;
import java.time.Duration;
import java.util.Optional;

/** Whether the task is to end, and how. Threadsafe; once asked, it stays asked. */
public final class StopRequest {
  private boolean asked;
  private boolean drop;
  private SluiceException reason;

  /**
   * @param andDrop also remove what the task made; a later request may add it, never take it back
   */
  public synchronized void ask(boolean andDrop) {
    asked = true;
    drop |= andDrop;
    notifyAll();
  }

  /**
   * Asks because the task cannot go on as a whole; the first reason counts.
   *
   * @param failure with which the task ends, once what is under way has ended
   */
  public synchronized void askBecause(SluiceException failure) {
    if (reason == null) {
      reason = failure;
    }
    ask(false);
  }

  /** Why the task cannot go on, where it was not a user who asked. */
  public synchronized Optional<SluiceException> failure() {
    return Optional.ofNullable(reason);
  }

  public synchronized boolean isAsked() {
    return asked;
  }

  public synchronized boolean isDropAsked() {
    return drop;
  }

  /** Waits for the request. */
  public synchronized void awaitAsked() throws InterruptedException {
    while (!asked) {
      wait();
    }
  }

  /** Waits for the time to pass or the request to come; says whether it came. */
  public synchronized boolean await(Duration time) throws InterruptedException {
    long deadline = System.nanoTime() + time.toNanos();
    while (!asked) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
    return true;
  }
}
