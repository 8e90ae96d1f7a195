package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.load.RecordedLeaf;
import dev.sluice.connector.postgres.load.Segment;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.stream.Collectors;

/**
 * The segments that no worker has taken yet, and where the workers are. Threadsafe: shared by the
 * workers of a load.
 *
 * <p>Two workers that write one table wait for each other, since its file is made longer under a
 * lock (PostgreSQL's relation extension lock), the more so the smaller its rows are. So a worker
 * stays with the table it is at, and goes from there to the one where it finds most left to do,
 * shared with those who are there. Tables that are much larger than the others still have several
 * workers, and are whole, for their indexes to be made, before the small ones are.
 */
final class WaitingSegments {
  /** By the tables that have the rows, in load order. */
  private final Map<TableId, Place> places = new LinkedHashMap<>();

  WaitingSegments(LoadPlan plan) {
    for (PlannedTable table : plan.tables()) {
      Map<TableId, List<Segment>> all = byLeaf(table.segments());
      Map<TableId, List<Segment>> missing = byLeaf(table.missing());
      for (RecordedLeaf leaf : table.recorded().leaves()) {
        if (missing.containsKey(leaf.leaf())) {
          long bytesOfSegment = leaf.bytes() / all.get(leaf.leaf()).size();
          places.put(leaf.leaf(), new Place(table, bytesOfSegment, missing.get(leaf.leaf())));
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
   * @param before the one that it has ended; empty for its first
   * @return empty where none is left
   */
  synchronized Optional<Segment> take(Optional<Segment> before) {
    Optional<Place> left = before.map(ended -> places.get(ended.leaf()));
    left.ifPresent(place -> place.workers--);
    Optional<Place> next =
        left.filter(Place::isWaiting)
            .or(
                () ->
                    places.values().stream()
                        .filter(Place::isWaiting)
                        // The first of equal ones is taken.
                        .min(
                            Comparator.comparingInt((Place place) -> place.loadOrder)
                                .thenComparingLong(Place::share)
                                .reversed()));
    return next.map(Place::take);
  }

  /** The table's segments are of no use any more. */
  synchronized void leaveOut(TableId table) {
    places.values().stream()
        .filter(place -> place.table.equals(table))
        .forEach(place -> place.segments.clear());
  }

  /** A table that has rows, with those of its segments that wait. */
  private static final class Place {
    private final TableId table;
    private final int loadOrder;
    private final long bytesOfSegment;
    private final Queue<Segment> segments;
    private int workers;

    Place(PlannedTable table, long bytesOfSegment, List<Segment> segments) {
      this.table = table.table();
      this.loadOrder = table.loadOrder();
      this.bytesOfSegment = bytesOfSegment;
      this.segments = new ArrayDeque<>(segments);
    }

    boolean isWaiting() {
      return !segments.isEmpty();
    }

    /** Bytes for each worker, with one more than there are. */
    long share() {
      return bytesOfSegment * segments.size() / (workers + 1);
    }

    Segment take() {
      workers++;
      return segments.remove();
    }
  }
}
