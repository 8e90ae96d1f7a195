package dev.sluice.connect;

import dev.sluice.sink.progress.WindowFigures;
import java.time.Duration;
import java.time.Instant;

/**
 * Remembers what had been applied one to two minutes ago, so that quantiles are of what happens
 * now. Guarded by its owner.
 */
final class RecentFigures {
  private static final Duration STEP = Duration.ofMinutes(1);

  private WindowFigures before = WindowFigures.NONE;
  private WindowFigures last = WindowFigures.NONE;
  private Instant noted = Instant.MIN;

  /**
   * Notes what has been applied since the start; keeps it if a minute has passed since it kept
   * some.
   */
  void note(WindowFigures applied, Instant now) {
    if (noted.equals(Instant.MIN)) {
      noted = now;
    } else if (Duration.between(noted, now).compareTo(STEP) >= 0) {
      before = last;
      last = applied;
      noted = now;
    }
  }

  /** What had been applied one to two minutes before the last note; nothing in the first ones. */
  WindowFigures before() {
    return before;
  }
}
