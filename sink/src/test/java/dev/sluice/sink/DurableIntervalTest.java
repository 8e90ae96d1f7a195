package dev.sluice.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When applied windows are to be made durable. */
class DurableIntervalTest {
  private final DurableInterval interval = new DurableInterval(Duration.ofNanos(100));

  @Test
  void theTimeCountsFromTheOldestWindowThatIsNotDurable() {
    interval.begin(1_000);
    assertThat(interval.left(1_000)).isEqualTo(100);
    assertThat(interval.left(1_099)).isEqualTo(1);
    assertThat(interval.left(1_100)).isZero();
    assertThat(interval.left(1_250)).isNegative();
  }

  @Test
  void aNewLengthCountsFromTheSameWindow() {
    interval.begin(1_000);
    interval.setLength(Duration.ofNanos(30));
    assertThat(interval.left(1_010)).isEqualTo(20);
  }

  @Test
  void aClockThatOverflowsIsNoProblem() {
    interval.begin(Long.MAX_VALUE - 10);
    assertThat(interval.left(Long.MIN_VALUE + 39)).isEqualTo(50);
  }
}
