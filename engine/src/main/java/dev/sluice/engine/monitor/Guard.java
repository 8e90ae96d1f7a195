package dev.sluice.engine.monitor;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Watches a log or journal that fills a disk, and decides when to warn. Deletes nothing: the task
 * still needs the data. Pure: the time is passed in. Owned by the monitor thread.
 */
public final class Guard {
  private static final Duration WINDOW = Duration.ofMinutes(10);
  private static final Duration LEAST = Duration.ofSeconds(30);
  private static final Duration REPORT_AGAIN = Duration.ofHours(1);
  private static final String FIX_OF_OTHERS =
      "Something else fills that disk: find out what, or make room";

  private final String name;
  private final String fix;
  private final Duration warning;
  private final Duration problem;
  private final Headroom headroom = new Headroom(WINDOW, LEAST);
  private GuardLevel reported = GuardLevel.FINE;
  private Instant reportedAt = Instant.EPOCH;

  /**
   * @param name of what fills a disk
   * @param fix what a user can do if this fills the disk
   * @param warning with less time left it warns
   * @param problem with less time left it is a problem of the task
   */
  public Guard(String name, String fix, Duration warning, Duration problem) {
    this.name = name;
    this.fix = fix;
    this.warning = warning;
    this.problem = problem;
  }

  /** Updates the state from a new reading. */
  public GuardState measure(Instant now, GuardReading reading) {
    headroom.sample(now, reading.used(), reading.room());
    Optional<Duration> left = shorter(headroom.left(), reading.expiry());
    return new GuardState(
        name,
        level(reading, left),
        reading,
        headroom.bytesPerSecond(),
        left,
        headroom.isFilledByOthers());
  }

  /**
   * What to log: at once if the level rises, again each hour while it is not fine, and once when it
   * is fine again. A lower level is not logged, so that a rate that moves around a threshold does
   * not fill the log.
   */
  public Optional<String> news(Instant now, GuardState state) {
    boolean raised = state.level().compareTo(reported) > 0;
    boolean again = Duration.between(reportedAt, now).compareTo(REPORT_AGAIN) >= 0;
    if (reported == GuardLevel.FINE && !raised || !raised && !again) {
      return Optional.empty();
    }
    reported = state.level();
    reportedAt = now;
    return Optional.of(
        state.level() == GuardLevel.FINE
            ? "%s: fine again, %s".formatted(name, state.words())
            : problem(state));
  }

  /** The state and its fix, as one message. */
  public String problem(GuardState state) {
    return "%s: %s. %s".formatted(name, state.words(), state.byOthers() ? FIX_OF_OTHERS : fix);
  }

  private static Optional<Duration> shorter(Optional<Duration> one, Optional<Duration> other) {
    return Stream.of(one, other).flatMap(Optional::stream).min(Comparator.naturalOrder());
  }

  private GuardLevel level(GuardReading reading, Optional<Duration> left) {
    boolean none = reading.room().isPresent() && reading.room().getAsLong() == 0;
    if (none || reading.danger().isPresent() || isWithin(left, problem)) {
      return GuardLevel.PROBLEM;
    }
    return isWithin(left, warning) ? GuardLevel.WARNING : GuardLevel.FINE;
  }

  private static boolean isWithin(Optional<Duration> left, Duration threshold) {
    return left.isPresent() && left.get().compareTo(threshold) < 0;
  }
}
