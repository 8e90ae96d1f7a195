package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableColumn;
import java.util.List;

/**
 * A selected table as it was before the snapshot was taken. Immutable.
 *
 * @param columns in catalog order
 * @param key columns of the primary key, else of the index that is the replica identity; empty
 *     where the table has neither
 * @param partitioned whether its rows are in leaves below it
 * @param segments one for the whole table, or one for each leaf; none where it has no leaf yet
 */
public record RecordedTable(
    TableId table,
    List<TableColumn> columns,
    List<String> key,
    boolean partitioned,
    List<Segment> segments) {
  public RecordedTable {
    columns = List.copyOf(columns);
    key = List.copyOf(key);
    segments = List.copyOf(segments);
  }

  /** About how large the table was. */
  public long bytes() {
    return segments.stream().mapToLong(Segment::bytes).sum();
  }
}
