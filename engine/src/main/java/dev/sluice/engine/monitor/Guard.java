package dev.sluice.engine.monitor;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Looks after something that fills a disk, and says when somebody must be told. It does nothing
 * about it: what is held is what the task still needs. Pure: the time is passed in. Owned by the
 * monitor thread.
 */
public final class Guard {
  private static final Duration WINDOW = Duration.ofMinutes(10);
  private static final Duration LEAST = Duration.ofSeconds(30);
  private static final Duration TOLD_AGAIN = Duration.ofHours(1);

  private final String name;
  private final String fix;
  private final Duration warning;
  private final Duration problem;
  private final Headroom headroom = new Headroom(WINDOW, LEAST);
  private GuardLevel told = GuardLevel.FINE;
  private Instant toldAt = Instant.EPOCH;

  /**
   * @param name of what fills a disk
   * @param fix what can be done
   * @param warning with less time left it is told of
   * @param problem with less time left it is a problem of the task
   */
  public Guard(String name, String fix, Duration warning, Duration problem) {
    this.name = name;
    this.fix = fix;
    this.warning = warning;
    this.problem = problem;
  }

  /** Takes what was measured. */
  public GuardState look(Instant now, GuardReading reading) {
    headroom.sample(now, reading.used(), reading.room());
    Optional<Duration> left = headroom.left();
    return new GuardState(name, level(reading, left), reading, headroom.bytesPerSecond(), left);
  }

  /**
   * What to log: at once where it becomes more urgent, again each hour while it is, and once when
   * it is over. Urgency that only becomes less is not news, so that a rate which goes up and down
   * around a threshold does not fill the log.
   */
  public Optional<String> news(Instant now, GuardState state) {
    boolean raised = state.level().compareTo(told) > 0;
    boolean again = Duration.between(toldAt, now).compareTo(TOLD_AGAIN) >= 0;
    if (told == GuardLevel.FINE && !raised || !raised && !again) {
      return Optional.empty();
    }
    told = state.level();
    toldAt = now;
    return Optional.of(
        state.level() == GuardLevel.FINE
            ? "%s: fine again, %s".formatted(name, state.words())
            : problem(state));
  }

  /** The state with what can be done about it. */
  public String problem(GuardState state) {
    return "%s: %s. %s".formatted(name, state.words(), fix);
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
