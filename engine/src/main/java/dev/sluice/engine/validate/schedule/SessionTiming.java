package dev.sluice.engine.validate.schedule;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides when the next session begins. Between two sessions lies a pause, so that sessions take no
 * more than the duty cycle's part of the time; and none begins while the target lags. Pure.
 *
 * @param dutyCycle percent of the time in which sessions run, 1 to 100
 * @param lagLimit lag of the target above which no session begins
 */
public record SessionTiming(int dutyCycle, Duration lagLimit) {
  private static final int FULL = 100;

  /** How soon the lag is checked again. */
  private static final Duration LAG_CHECK = Duration.ofSeconds(1);

  /** The shortest pause: a session that had nothing to do takes no time. */
  static final Duration LEAST_PAUSE = Duration.ofMillis(200);

  /** The longest pause, also after a session that waited for a slow server. */
  static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

  /**
   * The last session.
   *
   * @param took time from its first to its last statement
   * @param goesOn whether it got further, so that the next one need not wait for others
   */
  public record Ended(Instant at, Duration took, boolean goesOn) {

    /** The same with what was done right after it. */
    public Ended andThen(Duration alsoTook, Instant ended, boolean progress) {
      return new Ended(ended, took.plus(alsoTook), goesOn || progress);
    }
  }

  /**
   * What keeps the next session from beginning.
   *
   * @param reason for the status; empty for the pause of the duty cycle
   */
  public record Pause(Duration forAtLeast, String reason) {}

  /**
   * Why no session begins now; empty if one does.
   *
   * @param last the last session; empty before the first
   * @param lag of the target; empty if it is not known yet
   */
  public Optional<Pause> pause(Optional<Ended> last, Optional<Duration> lag, Instant now) {
    if (last.isPresent()) {
      Duration left = Duration.between(now, last.get().at().plus(pauseAfter(last.get())));
      if (!left.isNegative() && !left.isZero()) {
        return Optional.of(new Pause(left, ""));
      }
    }
    if (lag.isEmpty()) {
      return Optional.of(new Pause(LAG_CHECK, "the target's lag is not known yet"));
    }
    return lag.filter(late -> late.compareTo(lagLimit) > 0)
        .map(
            far ->
                new Pause(
                    LAG_CHECK,
                    "the target lags %d s behind, ValidationLagLimit is %s s"
                        .formatted(far.toSeconds(), seconds(lagLimit))));
  }

  Duration pauseAfter(Ended session) {
    if (dutyCycle == FULL && session.goesOn()) {
      return Duration.ZERO;
    }
    Duration pause = session.took().multipliedBy(100L - dutyCycle).dividedBy(dutyCycle);
    if (pause.compareTo(LONGEST_PAUSE) > 0) {
      return LONGEST_PAUSE;
    }
    return pause.compareTo(LEAST_PAUSE) < 0 ? LEAST_PAUSE : pause;
  }

  private static String seconds(Duration time) {
    return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
  }
}
