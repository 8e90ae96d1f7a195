package dev.sluice.engine.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RateMeterTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final RateMeter meter = new RateMeter(Duration.ofSeconds(5));

  @Test
  void oneSampleIsNoRate() {
    at(0, 1_000);
    assertThat(meter.perSecond()).isZero();
  }

  @Test
  void theRateIsThatOfTheWindowOnly() {
    at(0, 0);
    at(1, 1_000);
    for (int second = 2; second <= 20; second++) {
      at(second, 1_000 + 10L * (second - 1));
    }
    assertThat(meter.perSecond()).isEqualTo(10);
  }

  @Test
  void aStandstillBecomesZeroWithinTheWindow() {
    at(0, 0);
    at(1, 500);
    at(7, 500);
    at(8, 500);
    assertThat(meter.perSecond()).isZero();
  }

  @Test
  void aCounterThatIsResetGivesNoNegativeRate() {
    at(0, 5_000);
    at(1, 6_000);
    at(2, 10);
    assertThat(meter.perSecond()).isZero();
    at(3, 30);
    assertThat(meter.perSecond()).isEqualTo(20);
  }

  private void at(int second, long count) {
    meter.sample(START.plusSeconds(second), count);
  }
}
