package dev.sluice.load.log;

import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;

/** What a step of a load leaves on the target beside its rows, in the same transaction. */
public interface StepMark {

  /**
   * Writes into the open transaction.
   *
   * @param rows of the segment that are on the target with this step
   * @param bytes of those rows
   * @param last whether the segment is whole
   * @throws dev.sluice.config.document.SluiceException.Fenced where the load is not this one's any
   *     more
   */
  void write(TargetConnection connection, long rows, long bytes, boolean last) throws SQLException;
}
