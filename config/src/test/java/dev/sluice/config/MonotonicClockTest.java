package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class MonotonicClockTest {
  private static final Instant START = Instant.parse("2024-03-01T12:00:00Z");

  private Instant wallTime = START;
  private long nanos = 5;
  private final InstantSource wall = () -> wallTime;
  private final MonotonicClock clock =
      new MonotonicClock(wall.withZone(ZoneOffset.UTC), () -> nanos);

  private void pass(Duration time) {
    wallTime = wallTime.plus(time);
    nanos += time.toNanos();
  }

  @Test
  void itFollowsTheWallClock() {
    pass(Duration.ofMillis(1500));
    assertThat(clock.instant()).isEqualTo(START.plusMillis(1500));
  }

  @Test
  void aWallClockThatIsSetBackDoesNotStopIt() {
    pass(Duration.ofSeconds(10));
    wallTime = wallTime.minus(Duration.ofHours(1));
    pass(Duration.ofSeconds(5));
    assertThat(clock.instant()).isEqualTo(START.plusSeconds(15));
    pass(Duration.ofSeconds(5));
    assertThat(clock.instant()).isEqualTo(START.plusSeconds(20));
  }

  @Test
  void itFollowsAWallClockThatIsSetForwardAndDoesNotGoBackWithIt() {
    wallTime = wallTime.plus(Duration.ofHours(1));
    assertThat(clock.instant()).isEqualTo(START.plus(Duration.ofHours(1)));
    wallTime = START;
    pass(Duration.ofSeconds(1));
    assertThat(clock.instant()).isEqualTo(START.plus(Duration.ofHours(1)).plusSeconds(1));
  }
}
