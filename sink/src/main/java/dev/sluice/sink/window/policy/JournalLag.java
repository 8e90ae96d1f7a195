package dev.sluice.sink.window.policy;

import dev.sluice.config.Durations;
import java.time.Duration;
import java.time.Instant;

/**
 * How far windows are behind the source, compared to the best time of the last minutes. The clocks
 * of both sides may differ: a constant difference has no effect. Owned by one thread.
 */
final class JournalLag {
  /** The best time is forgotten after once to twice this time. */
  private static final Duration REMEMBERED = Duration.ofMinutes(5);

  /** How much too early the commit time may be on a source that has only complete seconds. */
  private static final Duration SECOND = Duration.ofSeconds(1);

  private Duration last = Duration.ZERO;

  /** False as long as all commit times are whole seconds, as MariaDB's are. */
  private boolean hasParts;

  /** The least distances of this period and of the one before; null before the first window. */
  private Duration least;

  private Duration leastBefore;
  private Instant since;

  /**
   * Notes that a window was closed.
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

  /** Notes that there is no lag any more. */
  void end() {
    last = Duration.ZERO;
  }

  /** The lag of the last window, as far as commit times show it; never negative. */
  Duration last() {
    return last;
  }
}
