package dev.sluice.bench.workload;

import java.util.List;

/** The shapes that appliers are compared over. */
public final class Shapes {
  private static final int TPCB_SCALE = 20;
  private static final int MANY_TABLES = 200;

  private Shapes() {}

  /**
   * Each in its full size, or a part of it.
   *
   * @param size 1 is the full size: 2,000,000 changes of TPC-B, 1,000,000 of most others
   */
  public static List<Shape> all(double size) {
    return List.of(
        tpcb(size, false),
        new InsertOnly(part(size, 100_000)),
        new UpdateOnly(part(size, 100_000)),
        new DeleteHeavy(part(size, 100_000)),
        new WideRows(part(size, 100_000)),
        new ManyTables(5 * (int) part(size, MANY_TABLES / 5), part(size, 100_000)));
  }

  /**
   * @param keyed whether its history has a primary key
   */
  public static Tpcb tpcb(double size, boolean keyed) {
    return new Tpcb((int) Math.max(1, Math.round(TPCB_SCALE * size)), part(size, 500_000), keyed);
  }

  private static long part(double size, long whole) {
    return Math.max(1, Math.round(whole * size));
  }
}
