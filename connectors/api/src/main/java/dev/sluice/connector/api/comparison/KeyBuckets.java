package dev.sluice.connector.api.comparison;

/**
 * The rows whose key's text has a hash in these buckets: for keys that sides order differently.
 *
 * @param first of the buckets, from 0
 * @param last of the buckets, included
 * @param of the number of all buckets, a power of two
 */
public record KeyBuckets(int first, int last, int of) implements ChunkBounds {
  public KeyBuckets {
    if (Integer.bitCount(of) != 1 || first < 0 || last < first || last >= of) {
      throw new IllegalArgumentException("BUG: buckets %d to %d of %d".formatted(first, last, of));
    }
  }

  public static KeyBuckets all(int of) {
    return new KeyBuckets(0, of - 1, of);
  }

  /** One bucket of these. */
  public KeyBuckets only(int bucket) {
    return new KeyBuckets(bucket, bucket, of);
  }

  public int size() {
    return last - first + 1;
  }
}
