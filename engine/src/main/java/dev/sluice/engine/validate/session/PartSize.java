package dev.sluice.engine.validate.session;

import dev.sluice.engine.validate.session.TableFindings.End;

/**
 * By how much the parts in which a table is read are smaller than PartitionSize. A part that does
 * not fit into a session, together with the rows that differ in it, would be read in each session
 * anew, and its table never further. So the part becomes smaller until one fits. Immutable.
 *
 * @param halvings how often PartitionSize is halved, from 0 on
 */
public record PartSize(int halvings) {
  /** Parts of PartitionSize rows. */
  public static final PartSize WHOLE = new PartSize(0);

  /** A smaller part saves no time: what is left is the time of the statements. */
  static final int LEAST_ROWS = 100;

  private static final int MOST_HALVINGS = 10;

  /** So many parts of a table in one session show that larger ones fit as well. */
  static final int MANY = 4;

  /** The rows of a part. */
  int rows(int partitionSize) {
    return Math.max(Math.min(LEAST_ROWS, partitionSize), partitionSize >> halvings);
  }

  /**
   * The size after a session.
   *
   * @param progressed whether the next session has less to read
   * @param first whether the session began with the table, so that it had all of its time
   */
  public PartSize after(TableFindings found, boolean progressed, boolean first) {
    boolean hadTime = first || !found.isUntried();
    if (found.end() == End.OUT_OF_TIME && !progressed && hadTime) {
      return new PartSize(Math.min(MOST_HALVINGS, halvings + 1));
    }
    return found.chunks().size() >= MANY ? new PartSize(Math.max(0, halvings - 1)) : this;
  }
}
