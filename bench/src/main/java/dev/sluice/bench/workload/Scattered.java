package dev.sluice.bench.workload;

/** Gives the numbers of a range in a scattered order, each number once. */
final class Scattered {
  /** A prime, so that its multiples meet every number of any range it does not divide. */
  private static final long STEP = 1_000_003;

  private Scattered() {}

  /**
   * An SQL expression: the number at a place.
   *
   * @param place an SQL expression, from 1 to {@code size}
   * @param size of the range that begins with 1
   */
  static String oneOf(String place, long size) {
    if (size % STEP == 0) {
      throw new IllegalArgumentException(
          size + " numbers: a multiple of " + STEP + " has no order");
    }
    return "((" + place + ")::bigint * " + STEP + " % " + size + " + 1)";
  }
}
