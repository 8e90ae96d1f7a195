package dev.sluice.sink.window;

/**
 * Counted changes of one table that were not applied as they are. Immutable.
 *
 * @param conflicts left out because the target did not take them; each is in the exceptions table
 * @param upserts inserts applied as updates and updates applied as inserts
 * @param suspended passed over because the table is suspended; net changes where a window was
 *     applied as a whole
 */
public record TableErrors(long conflicts, long upserts, long suspended) {
  public static final TableErrors NONE = new TableErrors(0, 0, 0);

  public TableErrors plus(TableErrors other) {
    return new TableErrors(
        conflicts + other.conflicts, upserts + other.upserts, suspended + other.suspended);
  }
}
