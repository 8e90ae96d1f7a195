package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.load.RecordedTable;
import dev.sluice.connector.postgres.load.Segment;
import java.util.List;

/**
 * The tables of a load as they were before the slot was created, in the order in which they are to
 * be loaded. Immutable.
 */
public record LoadPlan(List<RecordedTable> tables) {
  public LoadPlan {
    tables = List.copyOf(tables);
  }

  /** The tables' names on the source, in load order. */
  public List<TableId> names() {
    return tables.stream().map(RecordedTable::table).toList();
  }

  /** All segments in load order. */
  List<Segment> segments() {
    return tables.stream().flatMap(table -> table.segments().stream()).toList();
  }

  /** About how large the tables are together. */
  public long bytes() {
    return tables.stream().mapToLong(RecordedTable::bytes).sum();
  }
}
