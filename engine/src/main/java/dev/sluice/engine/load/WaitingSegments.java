package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.Segment;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.stream.Collectors;

/**
 * Assigns segments to the workers of a load. Threadsafe: shared by the workers.
 *
 * <p>Two workers that write one table wait for each other at PostgreSQL's relation extension lock,
 * more often with small rows. So a worker stays with its table. Then it takes the table with the
 * most bytes left for each of its workers. So a very large table still has several workers, and its
 * indexes can be built before the small tables are done.
 */
final class WaitingSegments {
  /** By the leaf tables that have the rows, in load order. */
  private final Map<TableId, Leaf> leaves = new LinkedHashMap<>();

  WaitingSegments(LoadPlan plan) {
    for (PlannedTable table : plan.tables()) {
      Map<TableId, List<Segment>> all = byLeaf(table.segments());
      Map<TableId, List<Segment>> missing = byLeaf(table.missing());
      for (RecordedLeaf leaf : table.recorded().leaves()) {
        if (missing.containsKey(leaf.leaf())) {
          long bytesOfSegment = leaf.bytes() / all.get(leaf.leaf()).size();
          leaves.put(leaf.leaf(), new Leaf(table, bytesOfSegment, missing.get(leaf.leaf())));
        }
      }
    }
  }

  private static Map<TableId, List<Segment>> byLeaf(List<Segment> segments) {
    return segments.stream().collect(Collectors.groupingBy(Segment::leaf));
  }

  /**
   * The next segment of a worker; tables of a higher load order come before all others.
   *
   * @param before the one that it has finished; empty for its first
   * @return empty if none is left
   */
  synchronized Optional<Segment> take(Optional<Segment> before) {
    Optional<Leaf> left = before.map(ended -> leaves.get(ended.leaf()));
    left.ifPresent(leaf -> leaf.workers--);
    Optional<Leaf> next =
        left.filter(Leaf::isWaiting)
            .or(
                () ->
                    leaves.values().stream()
                        .filter(Leaf::isWaiting)
                        // The first of equal tables is taken.
                        .min(
                            Comparator.comparingInt((Leaf leaf) -> leaf.loadOrder)
                                .thenComparingLong(Leaf::share)
                                .reversed()));
    return next.map(Leaf::take);
  }

  /** Removes the segments of a table that is not loaded any more. */
  synchronized void remove(TableId table) {
    leaves.values().stream()
        .filter(leaf -> leaf.table.equals(table))
        .forEach(leaf -> leaf.segments.clear());
  }

  /** A leaf table with its waiting segments. */
  private static final class Leaf {
    private final TableId table;
    private final int loadOrder;
    private final long bytesOfSegment;
    private final Queue<Segment> segments;
    private int workers;

    Leaf(PlannedTable table, long bytesOfSegment, List<Segment> segments) {
      this.table = table.table();
      this.loadOrder = table.loadOrder();
      this.bytesOfSegment = bytesOfSegment;
      this.segments = new ArrayDeque<>(segments);
    }

    boolean isWaiting() {
      return !segments.isEmpty();
    }

    /** Bytes left for each worker if one more joins. */
    long share() {
      return bytesOfSegment * segments.size() / (workers + 1);
    }

    Segment take() {
      workers++;
      return segments.remove();
    }
  }
}
