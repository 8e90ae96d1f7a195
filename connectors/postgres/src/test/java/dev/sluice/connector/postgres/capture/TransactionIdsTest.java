package dev.sluice.connector.postgres.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class TransactionIdsTest {
  private static final long EPOCH = 1L << 32;

  @Test
  void anIdGetsTheEpochOfItsTime() {
    assertThat(new TransactionIds(3 * EPOCH + 1000).extend(990)).isEqualTo(3 * EPOCH + 990);
    assertThat(new TransactionIds(3 * EPOCH + 1000).extend(1010)).isEqualTo(3 * EPOCH + 1010);
  }

  @Test
  void anIdBeforeTheWraparoundHasThePreviousEpoch() {
    assertThat(new TransactionIds(EPOCH + 5).extend(-3)).isEqualTo(EPOCH - 3);
  }

  @Test
  void anIdAfterTheWraparoundHasTheNextEpoch() {
    assertThat(new TransactionIds(EPOCH - 3).extend(5)).isEqualTo(EPOCH + 5);
  }

  @Test
  void idsAreFollowedThroughManyWraparounds() {
    Random random = new Random(1);
    long id = 7 * EPOCH;
    TransactionIds ids = new TransactionIds(id);
    for (int i = 0; i < 100_000; i++) {
      id += random.nextInt(1 << 30);
      long older = id - random.nextInt(1 << 30);
      assertThat(ids.extend((int) id)).isEqualTo(id);
      assertThat(ids.extend((int) older)).isEqualTo(older);
    }
    assertThat(id).isGreaterThan(1000 * EPOCH);
  }
}
