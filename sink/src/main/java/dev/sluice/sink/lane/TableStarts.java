package dev.sluice.sink.lane;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * From which position on the changes of each table are to be applied: those at or below it are in
 * the rows that were loaded. Immutable.
 *
 * @param known by source table
 * @param others of every other table; none that is known starts later
 */
public record TableStarts(Map<TableId, Position> known, Position others) {

  /** All changes of all tables. */
  public static final TableStarts NONE = new TableStarts(Map.of(), Position.ZERO);

  public TableStarts {
    known = Map.copyOf(known);
    for (Map.Entry<TableId, Position> each : known.entrySet()) {
      if (each.getValue().isAfter(others)) {
        throw new IllegalArgumentException(
            "BUG: %s starts at %s, after the last start %s"
                .formatted(each.getKey(), each.getValue(), others));
      }
    }
  }

  Position of(TableId table) {
    return known.getOrDefault(table, others);
  }

  /** Whether a change of the table at that position is still to be applied. */
  public boolean isBefore(TableId table, Position change) {
    return change.isAfter(of(table));
  }

  /** Each position at which a table starts. */
  NavigableSet<Position> positions() {
    NavigableSet<Position> positions = new TreeSet<>(known.values());
    positions.add(others);
    return positions;
  }
}
