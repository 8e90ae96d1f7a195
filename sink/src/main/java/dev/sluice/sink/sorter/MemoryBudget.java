package dev.sluice.sink.sorter;

import dev.sluice.config.settings.DataSize;

/**
 * Memory that one pool may keep. Reserving never waits and never fails: the pool's owner asks
 * {@link #isExceeded} after each thing it takes and then stops taking, so a pool overshoots by at
 * most what the last thing kept. Changed by its owner thread only; {@link #used} and {@link #peak}
 * may be read from any thread.
 */
public final class MemoryBudget {
  private final String pool;
  private volatile DataSize limit;
  private volatile long used;
  private volatile long peak;

  public MemoryBudget(String pool, DataSize limit) {
    this.pool = pool;
    this.limit = limit;
  }

  public DataSize limit() {
    return limit;
  }

  /** Changes what it may keep; what is kept above a lower limit stays until it is freed. */
  public void limit(DataSize other) {
    limit = other;
  }

  /** Bytes kept now. */
  public long used() {
    return used;
  }

  /** The most bytes that were kept at a time. */
  public long peak() {
    return peak;
  }

  /** Whether the pool keeps as much as it may, or more. */
  public boolean isExceeded() {
    return used >= limit.bytes();
  }

  /** Bytes that may still be taken; 0 where the limit is reached. */
  public long left() {
    return Math.max(0, limit.bytes() - used);
  }

  /** Reserves bytes, or frees them where they are negative. */
  public void charge(long bytes) {
    if (bytes >= 0) {
      reserve(bytes);
    } else {
      free(-bytes);
    }
  }

  public void reserve(long bytes) {
    long now = used + bytes;
    used = now;
    if (now > peak) {
      peak = now;
    }
  }

  /**
   * @throws IllegalStateException where more is freed than is reserved
   */
  public void free(long bytes) {
    if (bytes > used) {
      throw new IllegalStateException(
          "BUG: %s frees %d bytes of %d reserved".formatted(pool, bytes, used));
    }
    used -= bytes;
  }

  @Override
  public String toString() {
    return "%s: %s of %s".formatted(pool, DataSize.ofBytes(used), limit);
  }
}
