package dev.sluice.engine.cutover;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the time for which writers are stopped, on a thread of its own: the cutover's thread may
 * hang in a call to a server. Either the time ends or the source is asked to decide, never both.
 * Threadsafe.
 */
final class BudgetWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BudgetWatch.class);

  private enum State {
    STOPPED,
    DECIDING,
    OVER,
    CLOSED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.STOPPED);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Runnable over;

  /**
   * @param over run once the time has ended; lets everybody go on
   */
  BudgetWatch(Runnable over) {
    this.over = over;
  }

  /** Counts from now on. Called once at most. */
  void begin(Duration left) {
    Thread thread = new Thread(() -> watch(left), "sluice-cutover-budget");
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether the source may be asked to decide; then the time does not end any more. */
  boolean mayDecide() {
    return state.compareAndSet(State.STOPPED, State.DECIDING);
  }

  private void watch(Duration left) {
    try {
      if (closed.await(left.toNanos(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      // Nobody interrupts it; then the time has ended.
    }
    if (state.compareAndSet(State.STOPPED, State.OVER)) {
      LOG.warn("the budget of the cutover is over: applications that are held are released");
      over.run();
    }
  }

  /** The cutover's thread releases the applications by itself. */
  @Override
  public void close() {
    state.compareAndSet(State.STOPPED, State.CLOSED);
    closed.countDown();
  }
}
