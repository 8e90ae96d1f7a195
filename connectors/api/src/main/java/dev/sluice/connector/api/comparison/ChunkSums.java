package dev.sluice.connector.api.comparison;

import java.math.BigInteger;

/**
 * Count and two sums over the hashes of a chunk's rows. Rows that are equal on both sides give
 * equal sums in any order. Immutable.
 */
public record ChunkSums(long rows, BigInteger first, BigInteger second) {
  public static final ChunkSums NONE = new ChunkSums(0, BigInteger.ZERO, BigInteger.ZERO);

  /** Those of other rows added. */
  public ChunkSums plus(ChunkSums others) {
    return new ChunkSums(rows + others.rows, first.add(others.first), second.add(others.second));
  }
}
