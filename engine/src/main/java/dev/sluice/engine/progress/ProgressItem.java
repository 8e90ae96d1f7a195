package dev.sluice.engine.progress;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The progress of one copy: of a table, a file, or all of them together. Immutable.
 *
 * @param name to display
 * @param state in a word or two, such as {@code waiting}, {@link #RUNNING} or {@code done}
 * @param fraction that is done, 0 to 1
 * @param rows done
 * @param expectedRows estimated number of rows; empty if unknown
 * @param bytes done
 * @param left time until it is done at the present rate; empty if unknown
 */
public record ProgressItem(
    String name,
    String state,
    double fraction,
    long rows,
    OptionalLong expectedRows,
    long bytes,
    double rowsPerSecond,
    double bytesPerSecond,
    Optional<Duration> left) {

  /** The state of a copy in progress. It is not shown: the figures that change say it. */
  public static final String RUNNING = "running";

  public ProgressItem {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new IllegalArgumentException("a fraction of " + fraction + " of " + name);
    }
  }

  boolean isRunning() {
    return state.equals(RUNNING);
  }
}
