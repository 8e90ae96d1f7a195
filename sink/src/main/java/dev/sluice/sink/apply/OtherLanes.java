package dev.sluice.sink.apply;

import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.window.ClosedWindow;
import java.sql.SQLException;

/**
 * The lanes for which one lane applies some windows too, such as those with DDL, while they wait at
 * the same position. Used by the apply thread of that lane.
 *
 * @param lane the lane that applies
 * @param rows the checkpoint rows
 */
record OtherLanes(Lane lane, WindowCheckpoint rows) {

  /** Whether a window is applied for them, too. */
  boolean areConcernedBy(ClosedWindow window) {
    return lane.isForAll(window.filter());
  }

  /** Locks their checkpoint rows in the open transaction. */
  void lock(TargetConnection connection) throws SQLException {
    rows.lockOthers(connection, lane.meeting().get().others());
  }

  /** Advances their checkpoints together with that of the lane. */
  void advance(TargetConnection connection, JournalOffset before, JournalOffset place)
      throws SQLException {
    rows.advanceOthers(connection, lane.meeting().get().others(), before, place);
  }
}
