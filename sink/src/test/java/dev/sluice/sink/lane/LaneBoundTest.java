package dev.sluice.sink.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEnd;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LaneBoundTest {
  private static final Instant TIME = Instant.EPOCH.plusSeconds(100);
  private static final long MICROS = 100_000_000;

  @Test
  void theFirstTransactionAfterTheTimeIsExcludedAndOneAtTheTimeIsNot() {
    LaneBound bound = LaneBound.endingAt(TIME);
    assertThat(bound.excludes(new TransactionEnd(1, new Position(5), MICROS, 0))).isFalse();
    assertThat(bound.excludes(new TransactionEnd(1, new Position(6), MICROS + 1, 0))).isTrue();
  }

  /** A capture that is behind says how far it has read, at a time that is later. */
  @Test
  void howFarTheLogWasReadIsNoTransactionAfterTheTime() {
    LaneBound bound = LaneBound.endingAt(TIME).andAt(new Position(10));
    assertThat(bound.excludes(new TransactionEnd(0, new Position(5), MICROS + 1, 0))).isFalse();
    assertThat(bound.excludes(new TransactionEnd(0, new Position(11), 0, 0))).isTrue();
  }
}
