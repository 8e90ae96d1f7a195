package dev.sluice.config.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RetryPolicyTest {
  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofSeconds(15);

  @Test
  void waitsAreDoubledUpToTheLongest() {
    RetryPolicy forEver = new RetryPolicy(-1, FIRST, true, LONGEST, false);
    assertThat(forEver.waitAfter(1)).contains(Duration.ofSeconds(5));
    assertThat(forEver.waitAfter(2)).contains(Duration.ofSeconds(10));
    assertThat(forEver.waitAfter(3)).contains(LONGEST);
    assertThat(forEver.waitAfter(10_000)).contains(LONGEST);
  }

  @Test
  void withoutThrottlingEachWaitIsTheFirst() {
    RetryPolicy even = new RetryPolicy(-1, FIRST, false, LONGEST, true);
    assertThat(even.waitAfter(1)).contains(FIRST);
    assertThat(even.waitAfter(7)).contains(FIRST);
  }

  @Test
  void aCountBoundsTheTries() {
    assertThat(new RetryPolicy(0, FIRST, true, LONGEST, false).waitAfter(1)).isEmpty();
    RetryPolicy two = new RetryPolicy(2, FIRST, true, LONGEST, false);
    assertThat(two.waitAfter(2)).isPresent();
    assertThat(two.waitAfter(3)).isEmpty();
  }

  @Test
  void itStopsAfterTheLongestWaitIfConfigured() {
    RetryPolicy once = new RetryPolicy(-1, FIRST, true, LONGEST, true);
    assertThat(once.waitAfter(3)).contains(LONGEST);
    assertThat(once.waitAfter(4)).isEmpty();
  }
}
