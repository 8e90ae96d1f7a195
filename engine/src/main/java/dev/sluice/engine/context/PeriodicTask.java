package dev.sluice.engine.context;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * A thread that looks at something again and again until it is closed. A look that fails is told,
 * and the next one comes in time; an Error ends the thread, and with it the daemon.
 */
public final class PeriodicTask implements AutoCloseable {
  private final Duration interval;
  private final Runnable look;
  private final Consumer<RuntimeException> failed;
  private final Thread thread;
  private volatile boolean closing;

  /**
   * @param name of the thread
   * @param interval between the end of a look and the next one
   * @param look done by the thread alone
   * @param failed told of a look that failed, but for one that the end broke off
   */
  public PeriodicTask(
      String name, Duration interval, Runnable look, Consumer<RuntimeException> failed) {
    this.interval = interval;
    this.look = look;
    this.failed = failed;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Breaks off the look that is under way and waits for its end. Idempotent. */
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
        lookOnce();
        Thread.sleep(interval.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void lookOnce() {
    try {
      look.run();
    } catch (RuntimeException e) {
      if (!closing) {
        failed.accept(e);
      }
    }
  }
}
