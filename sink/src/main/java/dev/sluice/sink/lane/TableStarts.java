package dev.sluice.sink.lane;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The position from which on each table's changes are applied. The changes at or below it are
 * already in the loaded rows. Immutable.
 *
 * @param known the start of single tables, by source table
 * @param others the start of every other table; no known start is later
 */
public record TableStarts(Map<TableId, Position> known, Position others) {

  /** Applies all changes of all tables. */
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

  /** True if a change of the table at the position is to be applied. */
  public boolean isBefore(TableId table, Position change) {
    return change.isAfter(of(table));
  }

  /** All positions at which a table starts. */
  NavigableSet<Position> positions() {
    NavigableSet<Position> positions = new TreeSet<>(known.values());
    positions.add(others);
    return positions;
  }
}
