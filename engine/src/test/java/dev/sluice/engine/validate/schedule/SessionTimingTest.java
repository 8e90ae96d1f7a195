package dev.sluice.engine.validate.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.validate.schedule.SessionTiming.Ended;
import dev.sluice.engine.validate.schedule.SessionTiming.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SessionTimingTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Optional<Duration> NO_LAG = Optional.of(Duration.ZERO);

  private final SessionTiming timing = new SessionTiming(5, Duration.ofSeconds(10));

  @Test
  void whatIsDoneRightAfterASessionCountsAsTheSession() {
    Ended session = new Ended(Instant.EPOCH, Duration.ofSeconds(1), false);
    Ended repaired = session.andThen(Duration.ofSeconds(9), Instant.EPOCH.plusSeconds(9), false);
    SessionTiming half = new SessionTiming(50, Duration.ofSeconds(1));

    assertThat(half.pauseAfter(session)).isEqualTo(Duration.ofSeconds(1));
    assertThat(half.pauseAfter(repaired)).isEqualTo(Duration.ofSeconds(10));
    assertThat(repaired.at()).isEqualTo(Instant.EPOCH.plusSeconds(9));
  }

  @Test
  void theFirstSessionBeginsAtOnce() {
    assertThat(timing.pause(Optional.empty(), NO_LAG, NOW)).isEmpty();
  }

  @Test
  void sessionsTakeNoMoreThanTheDutyCyclesPartOfTheTime() {
    Ended last = new Ended(NOW, Duration.ofSeconds(3), false);

    assertThat(pause(last, NOW)).hasValue(Duration.ofSeconds(57));
    assertThat(pause(last, NOW.plusSeconds(50))).hasValue(Duration.ofSeconds(7));
    assertThat(pause(last, NOW.plusSeconds(57))).isEmpty();
  }

  @Test
  void aFullDutyCycleLeavesOnlyTheLeastPause() {
    Ended last = new Ended(NOW, Duration.ofSeconds(3), false);

    assertThat(new SessionTiming(100, Duration.ofSeconds(10)).pauseAfter(last))
        .isEqualTo(SessionTiming.LEAST_PAUSE);
  }

  @Test
  void sessionsThatGetFurtherRunBackToBackAtAFullDutyCycle() {
    Ended last = new Ended(NOW, Duration.ofSeconds(3), true);

    assertThat(new SessionTiming(100, Duration.ofSeconds(10)).pauseAfter(last)).isZero();
    assertThat(timing.pauseAfter(last)).isEqualTo(Duration.ofSeconds(57));
  }

  @Test
  void aSessionThatHungDoesNotKeepTheNextOneAwayForHours() {
    Ended last = new Ended(NOW, Duration.ofHours(1), false);

    assertThat(timing.pauseAfter(last)).isEqualTo(SessionTiming.LONGEST_PAUSE);
  }

  @Test
  void noSessionBeginsWhileTheTargetLags() {
    assertThat(timing.pause(Optional.empty(), Optional.of(Duration.ofSeconds(11)), NOW))
        .map(Pause::reason)
        .hasValue("the target lags 11 s behind, ValidationLagLimit is 10 s");
    assertThat(timing.pause(Optional.empty(), Optional.of(Duration.ofSeconds(10)), NOW)).isEmpty();
  }

  @Test
  void noSessionBeginsWhileTheLagIsUnknown() {
    assertThat(timing.pause(Optional.empty(), Optional.empty(), NOW)).isPresent();
  }

  private Optional<Duration> pause(Ended last, Instant now) {
    return timing.pause(Optional.of(last), NO_LAG, now).map(Pause::forAtLeast);
  }
}
