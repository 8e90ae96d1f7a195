package dev.sluice.engine.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.LoadLimits;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LoadThrottleTest {
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final InstantSource byHand = () -> now;
  private final Clock clock = byHand.withZone(ZoneOffset.UTC);

  @Test
  void fewRowsAreReadAtOnceAsLongAsRowsAreLimited() {
    AtomicReference<LoadLimits> limits = new AtomicReference<>(LoadLimits.NONE);
    LoadThrottle throttle = new LoadThrottle(limits::get, Clock.systemUTC());
    assertThat(throttle.rowsAtOnce()).isEqualTo(Integer.MAX_VALUE);

    limits.set(new LoadLimits(1_000, 0));
    assertThat(throttle.rowsAtOnce()).isEqualTo(100);

    limits.set(new LoadLimits(0, 1_000));
    assertThat(throttle.rowsAtOnce()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void rowsAboveTheirLimitAreWaitedFor() throws InterruptedException {
    assertThat(waited(new LoadLimits(1_000, 0), 20, 1_000_000)).isEqualTo(Duration.ofMillis(20));
  }

  @Test
  void bytesAboveTheirLimitAreWaitedForHoweverFewTheRows() throws InterruptedException {
    assertThat(waited(new LoadLimits(0, 1_000_000), 1, 20_000)).isEqualTo(Duration.ofMillis(20));
  }

  @Test
  void ofTwoLimitsTheSlowerCounts() throws InterruptedException {
    LoadLimits limits = new LoadLimits(1_000, 1_000_000);
    assertThat(waited(limits, 5, 20_000)).isEqualTo(Duration.ofMillis(20));
    assertThat(waited(limits, 20, 5_000)).isEqualTo(Duration.ofMillis(20));
  }

  @Test
  void withoutALimitNothingIsWaitedFor() throws InterruptedException {
    assertThat(waited(LoadLimits.NONE, 1_000_000, 1_000_000_000)).isZero();
  }

  @Test
  void aLoadThatEndsDoesNotWaitAndOneThatWaitedIsShownAsSlowedDown() throws InterruptedException {
    LoadThrottle throttle = new LoadThrottle(() -> new LoadLimits(1, 0), clock);
    throttle.read(1_000_000, 0, () -> true);
    assertThat(throttle.isThrottling()).isFalse();

    AtomicReference<Boolean> ending = new AtomicReference<>(false);
    throttle.read(1, 0, () -> ending.getAndSet(true));
    assertThat(throttle.isThrottling()).isTrue();
    now = now.plusSeconds(3);
    assertThat(throttle.isThrottling()).isFalse();
  }

  /**
   * How long a worker waits after it has read so much; each check of the end takes a millisecond.
   */
  private Duration waited(LoadLimits limits, long rows, long bytes) throws InterruptedException {
    Instant started = now;
    LoadThrottle throttle = new LoadThrottle(() -> limits, clock);
    throttle.read(
        rows,
        bytes,
        () -> {
          now = now.plusMillis(1);
          return false;
        });
    return Duration.between(started, now);
  }
}
