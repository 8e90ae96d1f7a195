package dev.sluice.load.log;

import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;

/** Records a step of a load on the target, in the transaction of the step's rows. */
public interface StepMark {

  /**
   * Writes into the open transaction.
   *
   * @param before number of the segment's rows on the target before this step
   * @param rows number of this step's rows
   * @param bytes size of all of them
   * @param last true if the segment is complete
   * @throws dev.sluice.config.document.SluiceException.Fenced if another attempt has taken over the
   *     load
   * @throws dev.sluice.config.document.SluiceException.Retryable if the step is there already, and
   *     the mark distinguishes steps
   */
  void write(TargetConnection connection, long before, long rows, long bytes, boolean last)
      throws SQLException;

  /**
   * Whether a second mark of the same step fails. If not, a step whose commit failed is not sent
   * again: the commit may have been one after all.
   */
  default boolean tellsStepsApart() {
    return true;
  }
}
