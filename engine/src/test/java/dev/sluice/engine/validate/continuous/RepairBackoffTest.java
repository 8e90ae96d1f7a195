package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.RowFailure.ReadAt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RepairBackoffTest {
  private static final TableId TABLE = new TableId("public", "item");
  private static final Instant NOW = Instant.EPOCH;

  private final RepairBackoff backoff = new RepairBackoff();

  @Test
  void aRowThatWasNeverTriedIsNotHeld() {
    assertThat(backoff.isHeld(row(1), NOW)).isFalse();
  }

  @Test
  void aRowThatWasLeftWaitsLongerEachTimeButNeverForLong() {
    Duration before = Duration.ZERO;
    for (int times = 0; times < 20; times++) {
      Duration wait = waitOf(row(1));
      assertThat(wait).isGreaterThanOrEqualTo(before).isLessThanOrEqualTo(Duration.ofMinutes(10));
      before = wait;
    }
    assertThat(before).isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void aRowThatTheTargetRefusesWaitsLonger() {
    assertThat(waitOf(row(1).refused("no"))).isEqualTo(Duration.ofMinutes(1));
    for (int times = 0; times < 20; times++) {
      waitOf(row(1).refused("no"));
    }
    assertThat(waitOf(row(1).refused("no"))).isEqualTo(Duration.ofHours(1));
  }

  /**
   * Else repairs of rows that are equal meanwhile take the time in which a session would say so.
   */
  @Test
  void aRowThatIsRepairedAtOnceWaitsUntilASessionHasLookedAtItButNotForLong() {
    RowFailure left = row(1);
    for (int times = 0; times < 20; times++) {
      backoff.tried(TABLE, List.of(left), List.of(left), NOW);
    }
    assertThat(backoff.isLeft(left, NOW)).isTrue();
    assertThat(backoff.isLeft(left.after(left), NOW)).as("found again").isFalse();
    assertThat(backoff.isLeft(left, NOW.plusSeconds(9))).isTrue();
    assertThat(backoff.isLeft(left, NOW.plusSeconds(10))).isFalse();
  }

  @Test
  void aRowThatIsRepairedAtOnceAndRefusedWaitsAsLongAsOthers() {
    RowFailure refused = row(1).refused("no");
    backoff.tried(TABLE, List.of(refused), List.of(refused), NOW);
    assertThat(backoff.isLeft(refused.after(refused), NOW.plusSeconds(59))).isTrue();
    assertThat(backoff.isLeft(refused.after(refused), NOW.plusSeconds(60))).isFalse();
  }

  @Test
  void aRowThatIsNotListedAnyMoreIsForgotten() {
    waitOf(row(1));
    backoff.tried(TABLE, List.of(), List.of(row(2)), NOW);
    assertThat(backoff.isHeld(row(1), NOW)).isFalse();
  }

  /** Tries it in vain. */
  private Duration waitOf(RowFailure row) {
    backoff.tried(TABLE, List.of(row), List.of(row), NOW);
    Duration wait = Duration.ZERO;
    while (backoff.isHeld(row, NOW.plus(wait))) {
      wait = wait.plusSeconds(1);
    }
    return wait;
  }

  private static RowFailure row(int id) {
    return new RowFailure(
        TABLE,
        TABLE,
        FailureKind.RECORD_DIFF,
        "{\"id\":\"%d\"}".formatted(id),
        Optional.empty(),
        Optional.empty(),
        "{}",
        new ReadAt(new Position(1), new Position(1)),
        2,
        Optional.empty(),
        Optional.empty());
  }
}
