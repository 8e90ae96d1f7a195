package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.List;

/**
 * A table that is partly loaded: some segments are on the target, others are not. Immutable.
 *
 * @param table the source table
 * @param shape the source table's definition as recorded by the load
 * @param start changes at or below this position are in the rows of all loaded segments
 * @param segments all segments, in order
 * @param rows number of rows in the loaded segments when they were read
 * @param bytes size of those rows on the wire
 */
public record LoadedPart(
    TableId table,
    String shape,
    Position start,
    List<LoadedSegment> segments,
    long rows,
    long bytes) {
  public LoadedPart {
    segments = List.copyOf(segments);
  }

  /** The number of loaded segments. */
  public int done() {
    return (int) segments.stream().filter(LoadedSegment::done).count();
  }

  /** True if the segment is loaded. */
  public boolean has(int segment) {
    return segments.stream().anyMatch(each -> each.number() == segment && each.done());
  }
}
