package dev.sluice.sink.window;

/**
 * Counts of one table's changes that were not applied as they are. Immutable.
 *
 * @param conflicts changes that the target rejected; each is in the exceptions table
 * @param upserts inserts that were applied as updates, and updates that were applied as inserts
 * @param suspended changes that were skipped because the table is suspended; counted as net changes
 *     if the window was not applied change by change
 */
public record TableErrors(long conflicts, long upserts, long suspended) {
  public static final TableErrors NONE = new TableErrors(0, 0, 0);

  public TableErrors plus(TableErrors other) {
    return new TableErrors(
        conflicts + other.conflicts, upserts + other.upserts, suspended + other.suspended);
  }
}
