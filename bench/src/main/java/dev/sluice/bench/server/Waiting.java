package dev.sluice.bench.server;

import java.sql.SQLException;
import java.time.Duration;

/**
 * Waits for a condition with a timeout, so that a benchmark fails with a message and never hangs.
 */
public final class Waiting {
  private static final long STEP_MILLIS = 20;

  private Waiting() {}

  /** Something that will hold some time, or fails. */
  public interface Condition {
    boolean holds() throws SQLException, InterruptedException;
  }

  /**
   * @param what is waited for, as the message goes on after "waited in vain for"
   * @throws IllegalStateException where it does not hold within the limit
   */
  public static void until(String what, Duration limit, Condition condition)
      throws SQLException, InterruptedException {
    long start = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - start > limit.toNanos()) {
        throw new IllegalStateException(
            "waited in vain for " + what + ", " + limit.toSeconds() + " s");
      }
      Thread.sleep(STEP_MILLIS);
    }
  }
}
