package dev.sluice.connector.comparison.mariadb;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import java.util.ArrayList;
import java.util.List;

/**
 * Sums of blocks that follow each other, of rows that come in the order of their keys. A block ends
 * with the row that has its last key, which the same snapshot showed. Owned by the reading thread.
 */
final class BlockSums {
  private final List<KeyRange> blocks;
  private final List<ChunkSums> sums = new ArrayList<>();
  private SumOfRows open = new SumOfRows();

  BlockSums(List<KeyRange> blocks) {
    this.blocks = blocks;
  }

  /**
   * @param row null if it does not count
   */
  void add(RowKey key, RowDigest row) {
    if (row != null) {
      open.add(row);
    }
    if (sums.size() < blocks.size() - 1
        && key.equals(blocks.get(sums.size()).upTo().orElseThrow())) {
      end();
    }
  }

  private void end() {
    sums.add(open.sums());
    open = new SumOfRows();
  }

  List<ChunkSums> sums() {
    while (sums.size() < blocks.size()) {
      end();
    }
    return sums;
  }
}
