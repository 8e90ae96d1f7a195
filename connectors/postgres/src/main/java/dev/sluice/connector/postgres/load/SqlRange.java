package dev.sluice.connector.postgres.load;

import dev.sluice.connector.api.source.load.SegmentRange;
import java.util.Optional;

/** A range whose rows PostgreSQL finds by a condition. Immutable. */
interface SqlRange extends SegmentRange {

  String sql();

  /** The condition of a range that this source has made; empty for all rows. */
  static Optional<String> conditionOf(SegmentRange range) {
    if (range instanceof SqlRange some) {
      return Optional.of(some.sql());
    }
    if (range instanceof Whole) {
      return Optional.empty();
    }
    // Taken for all rows, it would be read twice.
    throw new IllegalStateException("BUG: a range of another source: " + range);
  }

  /**
   * The rows of a range of keys.
   *
   * @param name for messages
   */
  record Keys(String sql, String name) implements SqlRange {
    @Override
    public boolean isByValue() {
      return true;
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
