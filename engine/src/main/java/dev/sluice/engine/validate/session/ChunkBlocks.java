package dev.sluice.engine.validate.session;

import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The blocks into which chunks are divided where rows differ, so that only the rows of unequal
 * blocks are read once more. Immutable.
 *
 * @param chunkRows rows of a chunk
 * @param rows of a block
 */
record ChunkBlocks(int chunkRows, int rows) {
  /**
   * The approximate number of blocks of a chunk: each costs an index search, and each unequal one
   * is read again.
   */
  private static final int WANTED = 300;

  private static final int MOST_ROWS = 100;

  /**
   * A block with more than this many times its planned rows does not belong to the planned chunk.
   */
  private static final int OVERFULL = 4;

  private static final int LEAST_OVERFULL = 16;

  /** The blocks for chunks with this many rows. */
  static ChunkBlocks of(int chunkRows) {
    int rows = Math.max(1, Math.min(MOST_ROWS, chunkRows / WANTED));
    return new ChunkBlocks(chunkRows, rows);
  }

  /** Blocks of a chunk. */
  int number() {
    return (chunkRows + rows - 1) / rows;
  }

  /** The maximum number of rows that are read of a block. */
  long most() {
    return Math.max((long) rows * OVERFULL, LEAST_OVERFULL);
  }

  /**
   * The blocks that end at these keys.
   *
   * @param after the key before the first one
   */
  static List<KeyRange> between(RowKey after, List<RowKey> ends) {
    List<KeyRange> blocks = new ArrayList<>();
    RowKey before = after;
    for (RowKey end : ends) {
      blocks.add(new KeyRange(Optional.of(before), Optional.of(end)));
      before = end;
    }
    return blocks;
  }

  /**
   * All rows of the blocks. Empty if a block has more rows than are read of one, or if a side
   * cannot say which block a row is in.
   *
   * @param planned blocks
   */
  Optional<ChunkSums> total(int planned, List<ChunkSums> blocks) {
    return blocks.size() != planned || blocks.stream().anyMatch(block -> block.rows() > most())
        ? Optional.empty()
        : Optional.of(blocks.stream().reduce(ChunkSums.NONE, ChunkSums::plus));
  }
}
