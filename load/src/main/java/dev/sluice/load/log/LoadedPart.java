package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.List;

/**
 * A table of which some segments are on the target and others are not. Immutable.
 *
 * @param table the source table
 * @param shape what the source table was, as the load told it
 * @param start of the segments that are done, all of them: changes at or below it are in their rows
 * @param segments all, in their order
 * @param rows of those that are done, as they were when they were read
 * @param bytes of those rows as they went over the wire
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

  /** How many of its segments are done. */
  public int done() {
    return (int) segments.stream().filter(LoadedSegment::done).count();
  }

  /** Whether that segment is done. */
  public boolean has(int segment) {
    return segments.stream().anyMatch(each -> each.number() == segment && each.done());
  }
}
