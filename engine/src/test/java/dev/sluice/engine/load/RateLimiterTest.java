package dev.sluice.engine.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private Instant now = START;
  private final RateLimiter bucket = new RateLimiter(START);

  @Test
  void inTheLongRunExactlyTheRateIsGrantedWhateverTheAmounts() {
    long taken = 0;
    long[] amounts = {1, 700, 30, 2_500, 90};
    for (int i = 0; i < 1_000; i++) {
      long amount = amounts[i % amounts.length];
      taken += amount;
      now = now.plus(bucket.take(now, amount, 1_000));
    }
    double seconds = Duration.between(START, now).toMillis() / 1000.0;
    assertThat(taken / seconds).isCloseTo(1_000, within(1.0));
  }

  @Test
  void moreThanTheLimitOfASecondDelaysTheNext() {
    assertThat(bucket.take(now, 5_000, 1_000)).isEqualTo(Duration.ofSeconds(5));
    now = now.plusSeconds(2);
    assertThat(bucket.take(now, 1_000, 1_000)).isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void aPauseIsNotFollowedByALargeBurst() {
    now = now.plusSeconds(3_600);
    assertThat(bucket.take(now, 1_100, 1_000)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void anotherRateCountsFromTheNextCallOn() {
    assertThat(bucket.take(now, 1_000, 100)).isEqualTo(Duration.ofSeconds(10));
    assertThat(bucket.take(now, 0, 10_000)).isEqualTo(Duration.ofMillis(100));
  }
}
