package dev.sluice.sink.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OvertakenTriesTest {
  private static final String WAITED = "57033";
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(30);

  private final TestClock clock = new TestClock();
  private final OvertakenTries tries = new OvertakenTries(clock);

  @Test
  void aConflictIsTriedSevenTimesHoweverLongTheWorkTakes() {
    for (int i = 1; i < 7; i++) {
      clock.pass(LOCK_TIMEOUT);
      assertThat(tries.failed(false)).as("try %d", i).isTrue();
    }
    assertThat(tries.failed(false)).isFalse();
  }

  @Test
  void shortWaitsForALockAreTriedUntilASecondHasPassed() {
    assertThat(tries.failed(true)).isTrue();
    clock.pass(OvertakenTries.WAITING);
    assertThat(tries.failed(true)).isTrue();
    clock.pass(Duration.ofMillis(1));
    assertThat(tries.failed(true)).isFalse();
  }

  @Test
  void aConflictAfterAWaitIsTriedAgain() {
    assertThat(tries.failed(true)).isTrue();
    clock.pass(LOCK_TIMEOUT);
    assertThat(tries.failed(false)).isTrue();
  }

  @Test
  void workThatWaitsLongForALockIsDoneTwice() {
    AtomicInteger done = new AtomicInteger();
    TestClock moving = new TestClock(Duration.ofMillis(20));
    assertThatThrownBy(
            () ->
                RepeatedTransaction.of(
                    new Conflicts(),
                    moving,
                    () -> {
                      done.incrementAndGet();
                      moving.pass(LOCK_TIMEOUT);
                      throw new SQLException("lock timeout", WAITED);
                    }))
        .isInstanceOf(SQLException.class)
        .hasMessage("lock timeout");
    assertThat(done).hasValue(2);
  }

  /** A server whose errors are all conflicts. */
  private static final class Conflicts implements TargetErrors {
    @Override
    public TargetFault faultOf(SQLException error) {
      return TargetFault.TRANSACTION_CONFLICT;
    }

    @Override
    public boolean isLockTimeout(SQLException error) {
      return error.getSQLState().equals(WAITED);
    }

    @Override
    public String textOf(SQLException error) {
      return error.getMessage();
    }

    @Override
    public String fixOfMissingRight(SQLException error) {
      return "";
    }
  }
}
