package dev.sluice.sink.window;

/**
 * Counted changes of one table. Immutable.
 *
 * @param ddls how often it was emptied, in whole or by partition, or made, altered or dropped
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
