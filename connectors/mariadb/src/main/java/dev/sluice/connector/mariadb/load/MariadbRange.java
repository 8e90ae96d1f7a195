package dev.sluice.connector.mariadb.load;

import dev.sluice.connector.api.source.load.SegmentRange;
import java.util.Optional;

/**
 * The rows of a table that fulfil a condition over their values. Immutable.
 *
 * @param sql in MariaDB's SQL
 * @param name for messages
 */
record MariadbRange(String sql, String name) implements SegmentRange {

  /** The condition of a range of this source; empty for all rows. */
  static Optional<String> conditionOf(SegmentRange range) {
    if (range instanceof MariadbRange some) {
      return Optional.of(some.sql());
    }
    if (range instanceof Whole) {
      return Optional.empty();
    }
    // If it were taken for all rows, rows would be read twice.
    throw new IllegalStateException("BUG: a range of another source: " + range);
  }

  @Override
  public boolean isByValue() {
    return true;
  }

  @Override
  public String toString() {
    return name;
  }
}
