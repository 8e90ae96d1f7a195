package dev.sluice.connector.api.comparison;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Rows by the last bits of their first hash: a row that is equal on both sides is in the same part
 * on both. Immutable.
 *
 * @param parts the numbers of the parts, from 0
 * @param of the number of all parts, a power of two
 */
public record HashParts(List<Integer> parts, int of) {
  public HashParts {
    parts = List.copyOf(parts);
    if (Integer.bitCount(of) != 1 || parts.stream().anyMatch(part -> part < 0 || part >= of)) {
      throw new IllegalArgumentException("BUG: parts %s of %d".formatted(parts, of));
    }
  }

  /** All rows. */
  public static HashParts all() {
    return new HashParts(List.of(0), 1);
  }

  /**
   * The parts in which the sides differ.
   *
   * @param source the sums of each part, in order
   */
  public static HashParts unequal(List<ChunkSums> source, List<ChunkSums> target) {
    return new HashParts(
        IntStream.range(0, source.size())
            .filter(part -> !source.get(part).equals(target.get(part)))
            .boxed()
            .toList(),
        source.size());
  }

  public boolean isAll() {
    return parts.size() == of;
  }
}
