package dev.sluice.connector.comparison.printed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BlockSumsTest {
  private static final List<KeyRange> BLOCKS = List.of(block(0, 10), block(10, 20), block(20, 30));

  @Test
  void aRowIsCountedInItsOwnBlock() {
    assertThat(sumsOf(10, 15, 20).orElseThrow())
        .extracting(ChunkSums::rows)
        .containsExactly(1L, 2L, 0L);
  }

  /** The key need not be unique on a target. */
  @Test
  void rowsWithTheKeyOfAnEndAreAllInItsBlock() {
    assertThat(sumsOf(10, 10, 20, 20).orElseThrow())
        .extracting(ChunkSums::rows)
        .containsExactly(2L, 2L, 0L);
    assertThat(sumsOf(10, 10, 20).orElseThrow())
        .extracting(ChunkSums::rows)
        .containsExactly(2L, 1L, 0L);
  }

  /** Otherwise row 15 would be in the first block, and be searched there in vain. */
  @Test
  void blocksWhoseEndsAreNotThereHaveNoSums() {
    assertThat(sumsOf(15)).isEmpty();
    assertThat(sumsOf(10, 15, 25)).isEmpty();
    assertThat(sumsOf()).isEmpty();
  }

  @Test
  void theLastBlockEndsWithTheRows() {
    assertThat(sumsOf(10, 20, 25).orElseThrow())
        .extracting(ChunkSums::rows)
        .containsExactly(1L, 1L, 1L);
  }

  private static KeyRange block(int after, int upTo) {
    return new KeyRange(Optional.of(key(after)), Optional.of(key(upTo)));
  }

  private static RowKey key(int number) {
    return RowKey.of(Integer.toString(number));
  }

  private static Optional<List<ChunkSums>> sumsOf(int... keys) {
    BlockSums sums = new BlockSums(BLOCKS);
    RowDigest digest = RowDigest.withoutSeeds();
    for (int key : keys) {
      RecordText text = new RecordText();
      text.begin();
      text.add(Integer.toString(key));
      sums.add(key(key), digest.read(text.end()));
    }
    return sums.sums();
  }
}
