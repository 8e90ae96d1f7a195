package dev.sluice.engine.progress;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How far one thing is that is copied: a table, a file, or all of them together. Immutable.
 *
 * @param name for people
 * @param state in a word or two, such as {@code waiting} or {@code done}; empty while it is copied
 * @param fraction of it that is done, 0 to 1
 * @param rows done
 * @param expectedRows about how many there are; empty where nobody knows
 * @param bytes done
 * @param left until it is done at the present rate; empty where that cannot be told
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
  public ProgressItem {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new IllegalArgumentException("a fraction of " + fraction + " of " + name);
    }
  }

  boolean isRunning() {
    return state.isEmpty();
  }
}
