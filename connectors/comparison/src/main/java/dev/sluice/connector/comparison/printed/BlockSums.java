package dev.sluice.connector.comparison.printed;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Sums of blocks that follow each other, of rows that come in the order of their keys. A block ends
 * with the rows that have its last key: several if the key is not unique here. If the other side
 * chose the last keys of the blocks, this side may lack one: then the block does not end, and its
 * sums are unknown. Owned by the reading thread.
 */
final class BlockSums {
  private final List<KeyRange> blocks;
  private final List<ChunkSums> sums = new ArrayList<>();
  private SumOfRows open = new SumOfRows();

  /** The last key of the open block, once a row with it was added. */
  private RowKey last;

  BlockSums(List<KeyRange> blocks) {
    this.blocks = blocks;
  }

  /**
   * @param row null if it does not count
   */
  void add(RowKey key, RowDigest row) {
    if (last != null && !key.equals(last)) {
      end();
    }
    if (row != null) {
      open.add(row);
    }
    if (sums.size() < blocks.size() - 1
        && key.equals(blocks.get(sums.size()).upTo().orElseThrow())) {
      last = key;
    }
  }

  private void end() {
    sums.add(open.sums());
    last = null;
    open = new SumOfRows();
  }

  /**
   * The sums of all blocks, once all rows were added. The last block ends with the rows.
   *
   * @return empty if a row that ends another block was not there
   */
  Optional<List<ChunkSums>> sums() {
    if (last != null) {
      end();
    }
    if (sums.size() < blocks.size() - 1) {
      return Optional.empty();
    }
    end();
    return Optional.of(sums);
  }
}
