package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.engine.validate.session.TableFindings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts successive sessions without a valid result, for each table. Owned by the thread of the
 * validation.
 */
final class FruitlessSessions {
  private final Map<TableId, Integer> counts = new HashMap<>();

  /** Takes the results of a session for its tables, in the order in which it read them. */
  void ended(List<TableFindings> session) {
    thatCount(session).forEach(this::ended);
  }

  /**
   * The tables of which a session says how they fare. A table that had only the time left over by
   * another table may still fit into a separate session.
   */
  static List<TableFindings> thatCount(List<TableFindings> session) {
    List<TableFindings> counted = new ArrayList<>();
    boolean partRead = false;
    for (TableFindings table : session) {
      if (!partRead || table.end() != TableFindings.End.OUT_OF_TIME || hasProgressed(table)) {
        counted.add(table);
      }
      partRead |= hasReadPart(table);
    }
    return counted;
  }

  private void ended(TableFindings table) {
    switch (table.end()) {
      case DONE -> counts.remove(table.table());
      case OUT_OF_TIME -> {
        if (hasProgressed(table)) {
          counts.remove(table.table());
        } else {
          add(table.table());
        }
      }
      case VOID, BLOCKED, REFUSED -> add(table.table());
    }
  }

  /** Adds a session that had no time for the table. */
  void add(TableId table) {
    counts.merge(table, 1, Integer::sum);
  }

  int of(TableId table) {
    return counts.getOrDefault(table, 0);
  }

  /**
   * Whether the next session has less to do; hash buckets and a complete table start again. For a
   * table that is to be read, looked-up rows are no progress.
   */
  static boolean hasProgressed(TableFindings table) {
    return table.rest().isEmpty() && !table.equalKeys().isEmpty() || hasReadRange(table);
  }

  private static boolean hasReadPart(TableFindings table) {
    return hasReadRange(table)
        || table.end() == TableFindings.End.DONE && !table.chunks().isEmpty();
  }

  private static boolean hasReadRange(TableFindings table) {
    return table.chunks().stream()
        .findFirst()
        .filter(chunk -> chunk.bounds() instanceof KeyRange)
        .filter(chunk -> chunk.isEqual() || chunk.resolved())
        .isPresent();
  }
}
