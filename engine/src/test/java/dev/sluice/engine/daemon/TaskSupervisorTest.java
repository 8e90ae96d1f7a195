package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.config.retry.RetryRequests;
import dev.sluice.engine.FastClock;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskRuntime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which failures of attempts are in a row. */
class TaskSupervisorTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final RetryPolicy THREE = new RetryPolicy(3, SECOND, false, SECOND, false);

  private final FastClock clock = new FastClock(SECOND);
  private int attempts;

  @Test
  void attemptsThatRanWellAreNoFailuresInARowWhateverEndedThem() throws InterruptedException {
    run(4, Duration.ofMinutes(50), THREE);
    assertThat(attempts).isEqualTo(5);
  }

  @Test
  void attemptsOfLessThanAnHourThatNothingExplainsEndTheTask() {
    assertThatThrownBy(() -> run(20, Duration.ofMinutes(50), THREE))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("not known to pass");
    assertThat(attempts).isEqualTo(5);
  }

  @Test
  void attemptsOfMoreThanAnHourDoNot() throws InterruptedException {
    run(20, Duration.ofMinutes(70), THREE);
    assertThat(attempts).isEqualTo(21);
  }

  @Test
  void attemptsThatFailAtOnceAreCountedAsTheSettingsSay() {
    assertThatThrownBy(() -> run(20, SECOND, THREE))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("given up after 4 failures in a row");
  }

  /** So many attempts fail without a known reason, each after some time; the next one succeeds. */
  private void run(int failing, Duration each, RetryPolicy policy) throws InterruptedException {
    new TaskSupervisor(
            policy,
            () -> {
              clock.pass(each);
              if (++attempts <= failing) {
                throw new SluiceException.Unexplained("XX000: broken", null);
              }
              return false;
            },
            new TaskRuntime(),
            new StopRequest(),
            new RetryRequests(),
            clock)
        .run();
  }
}
