package dev.sluice.connector.comparison.printed;

import dev.sluice.connector.api.comparison.ChunkSums;
import java.math.BigInteger;

/** Counts rows and adds their two numbers up. Owned by the reading thread. */
final class SumOfRows {
  private static final int HALF = 32;
  private static final long LOW = 0xFFFF_FFFFL;

  private long rows;
  private long firstHigh;
  private long firstLow;
  private long secondHigh;
  private long secondLow;

  void add(RowDigest row) {
    rows++;
    firstHigh += row.first() >> HALF;
    firstLow += row.first() & LOW;
    secondHigh += row.second() >> HALF;
    secondLow += row.second() & LOW;
  }

  /** Exact for up to 2^31 rows. */
  ChunkSums sums() {
    return rows == 0
        ? ChunkSums.NONE
        : new ChunkSums(rows, sum(firstHigh, firstLow), sum(secondHigh, secondLow));
  }

  private static BigInteger sum(long high, long low) {
    return BigInteger.valueOf(high).shiftLeft(HALF).add(BigInteger.valueOf(low));
  }
}
