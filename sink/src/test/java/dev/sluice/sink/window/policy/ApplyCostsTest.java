package dev.sluice.sink.window.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ApplyCostsTest {
  private final ApplyCosts costs = new ApplyCosts();
  private final Random random = new Random(7);

  @Test
  void bothCostsAreFoundAlthoughSomeWindowsAreSlow() {
    for (int i = 0; i < 32; i++) {
      long changes = 100 + random.nextInt(10_000);
      double seconds = 0.008 + 20e-6 * changes;
      add(changes, i % 5 == 0 ? seconds + random.nextDouble() * 3 : seconds);
    }
    ApplyCosts.Estimate found = costs.estimate().orElseThrow();
    assertThat(found.fixed()).isCloseTo(0.008, within(0.003));
    assertThat(found.perChange()).isCloseTo(20e-6, within(2e-6));
  }

  @Test
  void fewWindowsSayNothing() {
    add(1, 1);
    add(2, 1);
    add(3, 1);
    assertThat(costs.estimate()).isEmpty();
  }

  @Test
  void theFixedCostIsNeverMoreThanTheFastestWindow() {
    for (int i = 0; i < 32; i++) {
      add(1000, 0.5);
    }
    add(1000, 0.001);
    assertThat(costs.estimate().orElseThrow().fixed()).isLessThanOrEqualTo(0.001);
  }

  @Test
  void windowsOfOneSizeKeepTheFixedCostThatOthersShowed() {
    for (int i = 1; i <= 32; i++) {
      add(i * 100L, 0.004 + 10e-6 * i * 100);
    }
    for (int i = 0; i < 40; i++) {
      add(1000, 0.004 + 30e-6 * 1000);
    }
    ApplyCosts.Estimate found = costs.estimate().orElseThrow();
    assertThat(found.fixed()).isCloseTo(0.004, within(0.0025));
    assertThat(found.perChange()).as("the target became slow").isCloseTo(30e-6, within(3e-6));
  }

  @Test
  void windowsOfAFasterTimeDoNotCountAsFixedCost() {
    for (int i = 0; i < 64; i++) {
      long changes = i % 2 == 0 ? 2000 : 3000;
      add(changes, 0.004 + 10e-6 * changes);
    }
    for (int i = 0; i < 50; i++) {
      add(1000, 0.004 + 30e-6 * 1000);
    }
    assertThat(costs.estimate().orElseThrow().fixed()).isCloseTo(0.004, within(0.002));
  }

  private void add(long changes, double seconds) {
    costs.add(changes, Duration.ofNanos(Math.round(seconds * 1e9)));
  }
}
