package dev.sluice.load.target;

import java.time.Duration;

/**
 * Says, while a load runs, how many of its workers suit a target that is busier at some times than
 * at others. Owned by the thread that asks; only {@link #abort} may be called from any other.
 */
public interface WorkerAdvice extends AutoCloseable {

  /** The time between two questions. */
  Duration interval();

  /**
   * Asks the target. A question that fails is no failure of the load: the answer is what it was, or
   * more.
   *
   * @param working how many workers load a segment at present
   * @return how many may, at least 1
   */
  int workers(int working);

  /** Ends a question that is open, and makes all later ones return at once. From any thread. */
  void abort();

  @Override
  void close();
}
