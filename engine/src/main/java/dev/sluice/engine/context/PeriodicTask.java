package dev.sluice.engine.context;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * A thread that repeats an action until it is closed. A failed run is reported; the next one runs
 * on schedule. An Error ends the thread, and with it the daemon.
 */
public final class PeriodicTask implements AutoCloseable {
  private final Duration interval;
  private final Runnable action;
  private final Consumer<RuntimeException> failed;
  private final Thread thread;
  private volatile boolean closing;

  /**
   * @param name of the thread
   * @param interval between the end of a run and the start of the next one
   * @param action run by this thread only
   * @param failed receives the exception of a failed run, unless this is being closed
   */
  public PeriodicTask(
      String name, Duration interval, Runnable action, Consumer<RuntimeException> failed) {
    this.interval = interval;
    this.action = action;
    this.failed = failed;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Interrupts the run in flight and waits for its end. Idempotent. */
  @Override
  public void close() {
    closing = true;
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closing) {
        runOnce();
        Thread.sleep(interval.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void runOnce() {
    try {
      action.run();
    } catch (RuntimeException e) {
      if (!closing) {
        failed.accept(e);
      }
    }
  }
}
