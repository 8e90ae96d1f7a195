package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Cuts tables into segments of about the same size, so that several workers can read one large
 * table. Pure, immutable.
 *
 * @param size about how large a segment is
 * @param ruled the parts of those tables for which a rule names them, the same for each leaf;
 *     together they have each row once
 */
public record Segmentation(DataSize size, Map<TableId, List<SegmentRange>> ruled) {
  public Segmentation {
    ruled = Map.copyOf(ruled);
  }

  /** Without rules for single tables. */
  public Segmentation(DataSize size) {
    this(size, Map.of());
  }

  /** The same, with those rules. */
  Segmentation ruled(Map<TableId, List<SegmentRange>> others) {
    return new Segmentation(size, others);
  }

  /** The segments of a table: together they have each of its rows once. */
  public List<Segment> of(RecordedTable table) {
    List<Segment> segments = new ArrayList<>();
    for (RecordedLeaf leaf : table.leaves()) {
      for (SegmentRange rows : ruled.getOrDefault(table.table(), rangesOf(leaf))) {
        segments.add(new Segment(table.table(), segments.size(), leaf.leaf(), rows));
      }
    }
    return segments;
  }

  /** Rows are about as large in all parts of a table, so its pages are spread evenly. */
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
          new SegmentRange.Pages(
              from, i + 1 < count ? OptionalLong.of(before) : OptionalLong.empty()));
    }
    return ranges;
  }

  private static long share(long pages, long part, long parts) {
    return pages / parts * part + pages % parts * part / parts;
  }
}
