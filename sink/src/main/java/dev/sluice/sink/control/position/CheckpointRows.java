package dev.sluice.sink.control.position;

import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;

/**
 * The checkpoint rows of a pipeline, used inside a window's transaction: locked first, advanced
 * last. Never commits. Used by the apply thread.
 */
public interface CheckpointRows {

  /**
   * Locks the rows. Waits for a transaction that holds them, so that the outcome of an unanswered
   * COMMIT is known afterwards.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced if another owner claimed them
   */
  JournalOffset lock(TargetConnection connection) throws SQLException;

  /**
   * Advances the rows to the end of a window.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced if another owner claimed them
   */
  void advance(TargetConnection connection, JournalOffset place) throws SQLException;

  /**
   * Makes the open transaction durable at its commit, and with it all earlier ones, and records
   * that.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced if another owner claimed them
   */
  void harden(TargetConnection connection) throws SQLException;
}
