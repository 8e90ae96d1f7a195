package dev.sluice.sink.window;

/**
 * Counts of one table's changes. Immutable.
 *
 * @param ddls how often the table or one of its partitions was truncated, or the table was created,
 *     altered or dropped
 */
public record TableCounters(long inserts, long updates, long deletes, long ddls) {
  public static final TableCounters NONE = new TableCounters(0, 0, 0, 0);

  public TableCounters plus(TableCounters other) {
    return new TableCounters(
        inserts + other.inserts,
        updates + other.updates,
        deletes + other.deletes,
        ddls + other.ddls);
  }
}
