package dev.sluice.sink.window.policy;

import dev.sluice.config.Durations;
import java.time.Duration;
import java.time.Instant;

/**
 * How far windows are behind the source, more than at the best time of the last minutes. The clocks
 * of both sides may differ: a difference that stays counts for nothing. Owned by one thread.
 */
final class JournalLag {
  /** The best time is forgotten after once to twice this time. */
  private static final Duration REMEMBERED = Duration.ofMinutes(5);

  /** Of what a source that counts in whole seconds may be behind its true commit time. */
  private static final Duration SECOND = Duration.ofSeconds(1);

  private Duration last = Duration.ZERO;

  /** False as long as all commit times are whole seconds, as MariaDB's are. */
  private boolean hasParts;

  /** The least distances of this period and of the one before; null before the first window. */
  private Duration least;

  private Duration leastBefore;
  private Instant since;

  /**
   * A window was closed.
   *
   * @param commit when the source committed its last transaction, by the source's clock
   */
  void add(Instant commit, Instant now) {
    Duration distance = Duration.between(commit, now);
    if (least == null) {
      since = now;
      leastBefore = distance;
      least = distance;
    } else if (Duration.between(since, now).compareTo(REMEMBERED) > 0) {
      since = now;
      leastBefore = least;
      least = distance;
    }
    least = Durations.shorter(least, distance);
    hasParts |= commit.getNano() != 0;
    Duration further = distance.minus(Durations.shorter(least, leastBefore));
    last = hasParts ? further : further.minus(Durations.shorter(further, SECOND));
  }

  /** Nothing is behind any more. */
  void end() {
    last = Duration.ZERO;
  }

  /** Of the last window, as far as commit times tell; never negative. */
  Duration last() {
    return last;
  }
}
