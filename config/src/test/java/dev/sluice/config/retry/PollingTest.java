package dev.sluice.config.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class PollingTest {
  private static final Duration INTERVAL = Duration.ofMillis(100);

  private final StandingClock clock = new StandingClock();
  private final Polling polling = Polling.of(INTERVAL, clock, clock::pass);

  @Test
  void whatHoldsAtOnceIsNotWaitedFor() throws InterruptedException {
    assertThat(polling.until(Duration.ZERO, () -> true)).isTrue();
    assertThat(clock.passed()).isZero();
  }

  @Test
  void itLooksAtTheIntervalUntilItHolds() throws InterruptedException {
    polling.until(() -> clock.passed().toMillis() >= 250);
    assertThat(clock.passed()).isEqualTo(Duration.ofMillis(300));
  }

  @Test
  void afterTheTimeTheLastValueIsGiven() throws InterruptedException {
    Iterator<Integer> values = List.of(4, 3, 2, 1).iterator();
    int last = polling.until(Duration.ofMillis(150), values::next, value -> value == 0);
    assertThat(last).isEqualTo(2);
    assertThat(clock.passed()).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void aFailureOfTheLookIsThrown() {
    assertThatThrownBy(
            () ->
                polling.until(
                    () -> {
                      throw new IOException("gone");
                    }))
        .isInstanceOf(IOException.class);
  }

  @Test
  void anInterruptIsLeftForWhatComesAfterAWaitThatMustNotEnd() {
    Polling interrupted =
        Polling.of(
            INTERVAL,
            clock,
            time -> {
              clock.pass(time);
              throw new InterruptedException();
            });
    interrupted.untilUninterrupted(() -> clock.passed().toMillis() >= 250);
    assertThat(clock.passed()).isEqualTo(Duration.ofMillis(300));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void anInterruptedWaitNamesWhatItWaitedForAndKeepsTheInterrupt() {
    Polling interrupted =
        Polling.of(
            INTERVAL,
            clock,
            time -> {
              throw new InterruptedException();
            });
    assertThatThrownBy(() -> interrupted.waitFor("a topic", Duration.ofSeconds(1), () -> false))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessage("waiting for a topic was interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }
}
