package dev.sluice.engine.context;

import dev.sluice.config.document.SluiceException;
import java.time.Duration;
import java.util.Optional;

/** Request to end the task, and how. Threadsafe; a request cannot be taken back. */
public final class StopRequest {
  private boolean asked;
  private boolean drop;
  private SluiceException reason;

  /**
   * @param andDrop also remove what the task created on the servers; a later request can add this,
   *     but not cancel it
   */
  public synchronized void ask(boolean andDrop) {
    asked = true;
    drop |= andDrop;
    notifyAll();
  }

  /**
   * Requests the end because the task cannot continue. The first reason is kept.
   *
   * @param failure with which the task ends, after what is in flight has ended
   */
  public synchronized void askBecause(SluiceException failure) {
    if (reason == null) {
      reason = failure;
    }
    ask(false);
  }

  /** Why the task cannot continue; empty if a user requested the end. */
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

  /** Waits for the request, or until the time has passed. Returns whether the request came. */
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
