package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.load.RecordedTable;
import dev.sluice.connector.postgres.load.Segment;
import dev.sluice.sink.checkpoint.LoadedTable;
import java.util.List;
import java.util.Optional;

/**
 * A table of a load. Immutable.
 *
 * @param recorded what it was before the snapshot was taken
 * @param shape another text once the table was altered on the source, or goes elsewhere
 * @param segments in which it is read
 * @param kept what an attempt before has loaded of it: all; empty where it is to be loaded
 */
public record PlannedTable(
    RecordedTable recorded, String shape, List<Segment> segments, Optional<LoadedTable> kept) {
  public PlannedTable {
    segments = List.copyOf(segments);
  }

  /** Its name on the source. */
  TableId table() {
    return recorded.table();
  }

  /**
   * The same table, kept where it was loaded as it still is.
   *
   * @param loaded what the target says of it
   */
  PlannedTable keeping(Optional<LoadedTable> loaded) {
    return new PlannedTable(
        recorded, shape, segments, loaded.filter(each -> each.shape().equals(shape)));
  }
}
