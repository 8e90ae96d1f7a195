package dev.sluice.engine;

import java.time.Duration;
import org.awaitility.pollinterval.IterativePollInterval;
import org.awaitility.pollinterval.PollInterval;

/**
 * How often a wait asks a daemon for its status. A status costs milliseconds of a processor on both
 * sides, and the waiting tests share the processors with what they wait for: so the polls of a long
 * wait become rarer, and a short wait still ends soon. Not for a state that passes by itself.
 */
public final class RarerPolls {
  public static final PollInterval OF_A_STATUS =
      IterativePollInterval.iterative(RarerPolls::following, Duration.ofMillis(50));

  private static final Duration LONGEST = Duration.ofMillis(500);

  private RarerPolls() {}

  private static Duration following(Duration before) {
    Duration longer = before.multipliedBy(5).dividedBy(4);
    return longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
  }
}
