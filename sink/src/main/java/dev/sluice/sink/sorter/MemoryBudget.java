package dev.sluice.sink.sorter;

import dev.sluice.config.settings.DataSize;

/**
 * Heap memory budget of one pool. Reserving never waits and never fails: the owner checks {@link
 * #isExceeded} after each item and then takes no more, so the pool exceeds its limit by at most one
 * item. Only the owner thread changes it; {@link #used} and {@link #peak} may be read from any
 * thread.
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

  /** Changes the limit. Bytes reserved above a lower limit stay until they are freed. */
  public void limit(DataSize other) {
    limit = other;
  }

  /** Bytes that are reserved now. */
  public long used() {
    return used;
  }

  /** The highest number of bytes reserved at one time. */
  public long peak() {
    return peak;
  }

  /** True if the limit is reached or exceeded. */
  public boolean isExceeded() {
    return used >= limit.bytes();
  }

  /** Bytes left below the limit; 0 if it is reached. */
  public long left() {
    return Math.max(0, limit.bytes() - used);
  }

  /** Reserves bytes; a negative number frees them. */
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
   * @throws IllegalStateException if more is freed than is reserved
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
