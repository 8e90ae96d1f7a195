package dev.sluice.engine.validate.continuous;

import dev.sluice.engine.validate.schedule.SessionTiming.Ended;
import dev.sluice.engine.validate.schedule.SessionTiming.Pause;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How the last session ended, and so when the next one may begin. Owned by the thread of the
 * validation.
 */
final class SessionPace {
  /** The time that a session without work, or one that failed, counts as. */
  private static final Duration SHORTEST = Duration.ofMillis(200);

  private final ValidationTuning tuning;
  private final Clock clock;

  /** Empty if the next session need not wait for the last one. */
  private Optional<Ended> last = Optional.empty();

  SessionPace(ValidationTuning tuning, Clock clock) {
    this.tuning = tuning;
    this.clock = clock;
  }

  /**
   * What keeps a session from beginning; empty if one may begin.
   *
   * @param lag of the target; empty if it is not known yet
   */
  Optional<Pause> pause(Optional<Duration> lag, Instant now) {
    return tuning.timing().pause(last, lag, now);
  }

  /** The next session need not wait for the last one. */
  void hurry() {
    last = Optional.empty();
  }

  /** Takes over that a session had nothing to do, or failed. */
  void nothingDone(Instant at) {
    last = Optional.of(new Ended(at, SHORTEST, false));
  }

  /**
   * Takes over that a session has ended.
   *
   * @param goesOn whether it got further
   */
  Ended ended(Instant began, boolean goesOn) {
    Instant now = clock.instant();
    Ended session = new Ended(now, Duration.between(began, now), goesOn);
    last = Optional.of(session);
    return session;
  }

  /**
   * Takes over what was done right after the last session: its time counts as the session's.
   *
   * @param goesOn whether it got further
   */
  void alsoDone(Instant began, boolean goesOn) {
    Instant now = clock.instant();
    last = last.map(session -> session.andThen(Duration.between(began, now), now, goesOn));
  }

  /** Whether the last session got further. */
  boolean goesOn() {
    return last.filter(Ended::goesOn).isPresent();
  }
}
