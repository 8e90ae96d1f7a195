package dev.sluice.sink.apply;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Duration;

/*
 * Making it ends the session's transaction, and so gives up the checkpoint row. A second session
 * holds that meanwhile: another daemon that takes over waits until it is made. If the process stands
 * still, the server ends the first session before the second one.
 */
/**
 * Makes a definition that a window needs, where the target commits at DDL: before the window, which
 * then begins again. Owned by the apply thread.
 *
 * @param checkpoint the lane's checkpoint row, which is held meanwhile
 */
record DefinitionBeforeWindow(TargetServer server, CheckpointRows checkpoint) {
  /** Half of the time after which a server ends a silent transaction. */
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(10);

  /**
   * Makes it. If the target rejects it, the session remembers that, and the window finds it.
   *
   * @param session without an open transaction
   * @param before the checkpoint's journal offset when the window began; nothing is made if it has
   *     changed
   * @throws SluiceException.Fenced if another daemon claimed the task
   */
  void make(ApplySession session, NeededApart needed, JournalOffset before) throws SQLException {
    try (HeldCheckpoint held = new HeldCheckpoint(server, checkpoint, HeldCheckpoint.INTERVAL)) {
      if (held.place().equals(before)) {
        make(needed, session.connection());
      }
      // Otherwise the window begins again, and finds that.
    } catch (SluiceException.Data e) {
      session.refused(needed, e);
    } catch (SQLException e) {
      TargetFault fault = server.errors().faultOf(e);
      if (!fault.rejectsDefinition() && fault != TargetFault.MISSING_RIGHT) {
        throw e;
      }
      session.refused(
          needed,
          new SluiceException.Data(
              server.errors().classify(needed.getMessage(), e).getMessage(), e));
    }
  }

  private static void make(NeededApart needed, TargetConnection connection) throws SQLException {
    connection.endAfterSilence(LONGEST_SILENCE);
    try {
      needed.make(connection);
      connection.jdbc().commit();
    } finally {
      connection.rollback();
      connection.endAfterSilence(Duration.ZERO);
    }
  }
}
