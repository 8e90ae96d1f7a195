package dev.sluice.sink.window;

import java.util.Optional;

/**
 * Counts of one table's changes that were not applied as they are. Immutable.
 *
 * @param conflicts changes that the target rejected; each is in the exceptions table
 * @param upserts inserts that were applied as updates, and updates that were applied as inserts
 * @param suspended changes that were skipped because the table is suspended; counted as net changes
 *     if the window was not applied change by change
 * @param lastRejection the last of the conflicts, in words
 */
public record TableErrors(
    long conflicts, long upserts, long suspended, Optional<String> lastRejection) {
  public static final TableErrors NONE = new TableErrors(0, 0, 0);

  private static final int LONGEST = 500;

  /** Counts alone. */
  public TableErrors(long conflicts, long upserts, long suspended) {
    this(conflicts, upserts, suspended, Optional.empty());
  }

  /**
   * One change that the target rejected.
   *
   * @param why the operation, and what the target said; cut if it is long
   */
  public static TableErrors rejection(String why) {
    String cut = why.length() <= LONGEST ? why : why.substring(0, LONGEST) + "…";
    return new TableErrors(1, 0, 0, Optional.of(cut));
  }

  public TableErrors plus(TableErrors other) {
    return new TableErrors(
        conflicts + other.conflicts,
        upserts + other.upserts,
        suspended + other.suspended,
        other.lastRejection.or(() -> lastRejection));
  }
}
