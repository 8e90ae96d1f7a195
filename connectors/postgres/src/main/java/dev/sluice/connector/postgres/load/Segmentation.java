package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Divides tables into segments of similar size, so that several workers can read one large table.
 * Pure, immutable.
 *
 * @param size approximate size of a segment
 * @param ruled the parts of tables with a parallel-load rule, the same for each leaf; together they
 *     have each row once
 */
public record Segmentation(DataSize size, Map<TableId, List<SegmentRange>> ruled) {
  public Segmentation {
    ruled = Map.copyOf(ruled);
  }

  /** A segmentation without rules for single tables. */
  public Segmentation(DataSize size) {
    this(size, Map.of());
  }

  /** A copy with the parts of the given rules. */
  Segmentation ruled(Map<TableId, List<SegmentRange>> others) {
    return new Segmentation(size, others);
  }

  /** The segments of a table; together they have each of its rows once. */
  public List<Segment> of(RecordedTable table) {
    List<Segment> segments = new ArrayList<>();
    for (RecordedLeaf leaf : table.leaves()) {
      for (SegmentRange rows : ruled.getOrDefault(table.table(), rangesOf(leaf))) {
        segments.add(new Segment(table.table(), segments.size(), leaf.leaf(), rows));
      }
    }
    return segments;
  }

  /** Divides the pages evenly: rows have a similar size in all parts of a table. */
  private List<SegmentRange> rangesOf(RecordedLeaf leaf) {
    long wanted = leaf.bytes() / Math.max(1, size.bytes()) + 1;
    long count = leaf.byPage() ? Math.min(wanted, leaf.pages()) : 1;
    if (count <= 1 || leaf.bytes() <= size.bytes()) {
      return List.of(new SegmentRange.Whole());
    }
    List<SegmentRange> ranges = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      long from = share(leaf.pages(), i, count);
      long before = share(leaf.pages(), i + 1, count);
      ranges.add(
          new PageRange(from, i + 1 < count ? OptionalLong.of(before) : OptionalLong.empty()));
    }
    return ranges;
  }

  private static long share(long pages, long part, long parts) {
    return pages / parts * part + pages % parts * part / parts;
  }
}
