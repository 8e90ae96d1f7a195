package dev.sluice.config.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetriesTest {
  private static final RetryPolicy TWICE =
      new RetryPolicy(2, Duration.ofSeconds(5), true, Duration.ofMinutes(1), false);

  private final StandingClock clock = new StandingClock();
  private final RetryRequests requests = new RetryRequests();
  private final Retries retries = new Retries(TWICE, requests, clock);

  @Test
  void waitsGrowUntilThePolicyGivesUp() {
    assertThat(retries.failed()).contains(Duration.ofSeconds(5));
    assertThat(retries.failed()).contains(Duration.ofSeconds(10));
    assertThat(retries.failed()).isEmpty();
    assertThat(retries.failures()).isEqualTo(3);
  }

  @Test
  void afterASuccessTheNextFailureIsTheFirst() {
    retries.failed();
    retries.failed();
    retries.succeeded();
    assertThat(retries.failed()).contains(Duration.ofSeconds(5));
    assertThat(retries.failures()).isOne();
  }

  @Test
  void whatAServerDoesNotExplainIsTriedOftenAndForMinutesAndThenEndsTheWork() {
    Retries endless = new Retries(RetryPolicy.every(Duration.ofSeconds(70)), clock);
    SluiceException unexplained = new SluiceException.Unexplained("XX000: broken", null);
    for (int i = 0; i < 4; i++) {
      assertThat(endless.failed(unexplained)).isPresent();
      clock.pass(Duration.ofSeconds(70));
    }
    assertThat(endless.failed(unexplained)).as("often, but not for long").isPresent();
    clock.pass(Duration.ofSeconds(70));
    assertThatThrownBy(() -> endless.failed(unexplained))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("6 failures in a row")
        .hasMessageContaining("XX000: broken")
        .hasMessageContaining("Nothing was skipped");
  }

  @Test
  void whatPassesBetweenUnexplainedFailuresBeginsTheirCountAgain() {
    Retries endless = new Retries(RetryPolicy.every(Duration.ofMinutes(2)), clock);
    SluiceException unexplained = new SluiceException.Unexplained("XX000: broken", null);
    for (int i = 0; i < 20; i++) {
      assertThat(endless.failed(unexplained)).isPresent();
      clock.pass(Duration.ofMinutes(2));
      if (i % 3 == 0) {
        endless.failed(new SluiceException.Retryable("timed out", null));
      } else if (i % 3 == 1) {
        endless.succeeded();
      }
    }
    for (int i = 0; i < 20; i++) {
      assertThat(endless.failed(new SluiceException.Retryable("timed out", null))).isPresent();
      clock.pass(Duration.ofMinutes(2));
    }
  }

  @Test
  void theNextTryIsDueWhenTheWaitHasPassed() {
    assertThat(retries.isDue()).isTrue();
    retries.failed();
    clock.pass(Duration.ofMillis(4_999));
    assertThat(retries.isDue()).isFalse();
    clock.pass(Duration.ofMillis(1));
    assertThat(retries.isDue()).isTrue();
  }

  @Test
  void aCommandMakesTheNextTryDueAndOneBeforeTheFailureDoesNot() {
    requests.ask();
    retries.failed();
    assertThat(retries.isDue()).isFalse();
    requests.ask();
    assertThat(retries.isDue()).isTrue();
    retries.failed();
    assertThat(retries.isDue()).isFalse();
  }

  @Test
  void waitingEndsWhenTheNextTryIsDueAndNotLater() throws InterruptedException {
    retries.failed();
    clock.pass(Duration.ofMillis(4_820));
    List<Duration> pauses = new ArrayList<>();
    assertThat(
            retries.await(
                time -> {
                  pauses.add(time);
                  clock.pass(time);
                  return false;
                }))
        .isTrue();
    assertThat(pauses).extracting(Duration::toMillis).containsExactly(50L, 50L, 50L, 30L);
    assertThat(clock.passed()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aCommandEndsTheWait() throws InterruptedException {
    retries.failed();
    assertThat(
            retries.await(
                time -> {
                  clock.pass(time);
                  requests.ask();
                  return false;
                }))
        .isTrue();
    assertThat(clock.passed()).isEqualTo(Duration.ofMillis(50));
  }

  @Test
  void aStopEndsTheWaitWithoutANextTry() throws InterruptedException {
    retries.failed();
    assertThat(retries.await(time -> true)).isFalse();
    assertThat(clock.passed()).isZero();
  }

  @Test
  void theStatusHasTheProblemAndTheTimeOfTheNextTry() {
    clock.pass(Duration.ofMillis(700));
    retries.failed();
    assertThat(retries.words("the target does not answer"))
        .isEqualTo(
            "the target does not answer; next try at 2026-01-01T00:00:05Z, or at once by sluice"
                + " retry");
  }
}
