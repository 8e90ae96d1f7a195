package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Map;

/**
 * Tables as they were before the snapshot, and how they will be read. Immutable.
 *
 * @param tables in the order in which they were asked for
 * @param rows about how many rows will be loaded, by table; a table of which that is unknown is
 *     missing
 * @param segments of each table; together they have each of its rows once
 */
public record RecordedTables(
    List<RecordedTable> tables, Map<TableId, Long> rows, Map<TableId, List<Segment>> segments) {
  public RecordedTables {
    tables = List.copyOf(tables);
    rows = Map.copyOf(rows);
    segments = Map.copyOf(segments);
  }
}
