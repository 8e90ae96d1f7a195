package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The locks of the one transaction that prepares all tables of a load. Stateless, threadsafe. */
public final class PreparationLocks {
  private PreparationLocks() {}

  /**
   * Why the target's server has no room for them; empty if it has. Locks nothing.
   *
   * @param mode how the tables are prepared before the load
   */
  public static Optional<Problem> problem(
      TargetConnection connection, List<TableId> tables, PrepMode mode) {
    if (mode == PrepMode.DO_NOTHING) {
      return Optional.empty();
    }
    try {
      Optional<Problem> problem =
          LoadDialects.of(connection.dialect())
              .lockingAll(connection, tables, mode == PrepMode.DROP_AND_CREATE);
      connection.rollback();
      return problem;
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("ask for the room for locks on the target", e);
    }
  }
}
