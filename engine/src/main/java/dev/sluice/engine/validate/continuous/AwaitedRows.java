package dev.sluice.engine.validate.continuous;

import static java.util.stream.Collectors.toSet;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.sink.touched.TouchedRows;
import dev.sluice.sink.touched.Uncompared;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The rows that a pass waits for: they had been touched and not compared when their table was read
 * to its end. Owned by the thread of the validation.
 */
final class AwaitedRows {
  /** How often a table is read from its begin because changed rows were forgotten. */
  private static final int MOST_READS = 3;

  private final Map<TableId, Waiting> waiting = new HashMap<>();

  /** Tables with more such rows than are in {@link #waiting}. */
  private final Set<TableId> unlisted = new HashSet<>();

  /** Tables of which such rows were forgotten, and the position after which all is to be read. */
  private final Map<TableId, Position> forgotten = new HashMap<>();

  /** How often a table was read to its end, with rows that were forgotten. */
  private final Map<TableId, Integer> reads = new HashMap<>();

  /** Rows by the columns of their key. */
  private record Waiting(List<String> columns, Set<Row> rows) {
    static final Waiting NONE = new Waiting(List.of(), Set.of());
  }

  /**
   * Takes over that a table was read to its end.
   *
   * @param touched its rows that were touched and not compared, however far they are applied
   */
  void completed(TableState table, Uncompared touched) {
    add(table.table(), touched);
    Optional<Position> lost = touched.dirtySince().filter(any -> !table.key().isEmpty());
    if (lost.isEmpty()) {
      forgotten.remove(table.table());
      reads.remove(table.table());
    } else if (reads.merge(table.table(), 1, Integer::sum) < MOST_READS) {
      forgotten.put(table.table(), lost.get());
    }
  }

  /** Waits for rows of a table that were touched and not compared. */
  void add(TableId table, Uncompared touched) {
    Set<Row> rows = new HashSet<>(touched.rows().keys());
    if (rows.size() < touched.all()) {
      unlisted.add(table);
    } else {
      unlisted.remove(table);
    }
    waiting.put(table, new Waiting(touched.rows().columns(), rows));
  }

  /** Takes over that rows of a table were compared, before or after it was read to its end. */
  void compared(TableId table, Collection<Row> rows) {
    Waiting left = waiting.get(table);
    if (left != null) {
      rows.forEach(left.rows()::remove);
    }
  }

  /** The rows of a table that are waited for, without those that are not listed. */
  TouchedRows of(TableId table) {
    Waiting left = waiting.getOrDefault(table, Waiting.NONE);
    return new TouchedRows(left.columns(), List.copyOf(left.rows()));
  }

  /** How many these are. */
  int number(TableId table) {
    return waiting.getOrDefault(table, Waiting.NONE).rows().size();
  }

  /** Whether a table has more of them. */
  boolean hasUnlisted(TableId table) {
    return unlisted.contains(table);
  }

  /** The tables that have more of them, and none that is listed. */
  Set<TableId> unlisted() {
    return unlisted.stream().filter(table -> number(table) == 0).collect(toSet());
  }

  /** The position after which a table is to be read again, since rows of it were forgotten. */
  Optional<Position> readAgainAfter(TableId table) {
    return Optional.ofNullable(forgotten.get(table));
  }

  /** Whether a table was read too often with changed rows that were forgotten. */
  boolean areForgotten(TableId table) {
    return reads.getOrDefault(table, 0) >= MOST_READS;
  }
}
