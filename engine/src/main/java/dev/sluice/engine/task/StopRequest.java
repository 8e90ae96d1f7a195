package dev.sluice.engine.task;

import java.time.Duration;

/** Whether the task is to end, and how. Threadsafe; once asked, it stays asked. */
final class StopRequest {
  private boolean asked;
  private boolean drop;

  /**
   * @param andDrop also remove what the task made; a later request may add it, never take it back
   */
  synchronized void ask(boolean andDrop) {
    asked = true;
    drop |= andDrop;
    notifyAll();
  }

  synchronized boolean isAsked() {
    return asked;
  }

  synchronized boolean isDropAsked() {
    return drop;
  }

  /** Waits for the request. */
  synchronized void awaitAsked() throws InterruptedException {
    while (!asked) {
      wait();
    }
  }

  /** Waits for the time to pass or the request to come; says whether it came. */
  synchronized boolean await(Duration time) throws InterruptedException {
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
