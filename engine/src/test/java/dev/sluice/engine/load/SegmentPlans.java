package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Tables of a load that is planned, for tests without a server. Stateless. */
final class SegmentPlans {
  private SegmentPlans() {}

  /** A table with segments of one byte. */
  static PlannedTable table(String name, int loadOrder, int segments) {
    return table(name, loadOrder, segments, segments);
  }

  static PlannedTable table(String name, int loadOrder, int segments, long bytes) {
    TableId table = new TableId("app", name);
    RecordedLeaf leaf = new RecordedLeaf(table, 1, 1, List.of(), bytes, segments, true);
    return new PlannedTable(
        new RecordedTable(table, 1, List.of(), List.of(), false, List.of(leaf)),
        loadOrder,
        "",
        IntStream.range(0, segments)
            .mapToObj(i -> new Segment(table, i, table, new Page(i)))
            .toList(),
        Optional.empty(),
        Optional.empty());
  }

  private record Page(int number) implements SegmentRange {
    @Override
    public boolean isByValue() {
      return true;
    }
  }
}
