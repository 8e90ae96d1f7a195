package dev.sluice.engine.validate.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChunkBlocksTest {

  @Test
  void aChunkIsDividedIntoAboutThreeHundredBlocks() {
    assertThat(ChunkBlocks.of(10_000)).isEqualTo(new ChunkBlocks(10_000, 33));
    assertThat(ChunkBlocks.of(10_000).number()).isEqualTo(304);
    assertThat(ChunkBlocks.of(100).number()).isEqualTo(100);
    assertThat(ChunkBlocks.of(1).number()).isEqualTo(1);
    assertThat(ChunkBlocks.of(1_000_000).rows()).isEqualTo(100);
  }

  @Test
  void eachBlockBeginsWhereTheOneBeforeEnds() {
    RowKey one = RowKey.of("1");
    RowKey two = RowKey.of("2");
    RowKey three = RowKey.of("3");

    assertThat(ChunkBlocks.between(one, List.of(two, three)))
        .containsExactly(
            new KeyRange(Optional.of(one), Optional.of(two)),
            new KeyRange(Optional.of(two), Optional.of(three)));
  }

  @Test
  void theSumOfItsBlocksIsTheChunksUnlessABlockHasMoreRowsThanAreRead() {
    ChunkBlocks blocks = ChunkBlocks.of(10_000);

    assertThat(blocks.total(2, List.of(sums(30, 5, -7), sums(132, 1, 2))))
        .hasValue(sums(162, 6, -5));
    assertThat(blocks.total(2, List.of(sums(30, 5, -7), sums(133, 1, 2)))).isEmpty();
  }

  /** No rows would be equal to those of a side whose rows of the chunk are all left out. */
  @Test
  void blocksThatASideCannotTellApartHaveNoTotal() {
    assertThat(ChunkBlocks.of(10_000).total(2, List.of())).isEmpty();
  }

  private static ChunkSums sums(long rows, long first, long second) {
    return new ChunkSums(rows, BigInteger.valueOf(first), BigInteger.valueOf(second));
  }
}
