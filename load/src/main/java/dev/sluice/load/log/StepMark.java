package dev.sluice.load.log;

import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;

/** Records a step of a load on the target, in the transaction of the step's rows. */
public interface StepMark {

  /**
   * Writes into the open transaction.
   *
   * @param rows number of the segment's rows on the target, including this step
   * @param bytes size of those rows
   * @param last true if the segment is complete
   * @throws dev.sluice.config.document.SluiceException.Fenced if another attempt has taken over the
   *     load
   */
  void write(TargetConnection connection, long rows, long bytes, boolean last) throws SQLException;
}
