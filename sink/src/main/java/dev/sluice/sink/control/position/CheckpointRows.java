package dev.sluice.sink.control.position;

import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;

/**
 * What the target remembers of how far a pipeline has got, as a window's own transaction sees it:
 * locked first, advanced last. It commits nothing. Used by the apply thread.
 */
public interface CheckpointRows {

  /**
   * Locks the rows. Waits for a transaction that holds them, so that after an unanswered COMMIT the
   * answer is known.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced where another one claimed them
   */
  JournalOffset lock(TargetConnection connection) throws SQLException;

  /**
   * Moves them to the end of a window.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced where another one claimed them
   */
  void advance(TargetConnection connection, JournalOffset place) throws SQLException;

  /**
   * Makes the open transaction, and with it every earlier one, wait for the target's disk at
   * commit, and notes that.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced where another one claimed them
   */
  void harden(TargetConnection connection) throws SQLException;
}
