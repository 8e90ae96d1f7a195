package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.load.target.LoadDialect;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The locks of the one transaction that prepares all tables of a load. Stateless, threadsafe. */
public final class PreparationLocks {
  private PreparationLocks() {}

  /**
   * Why the target's server has no room for them; empty if it has. Locks nothing.
   *
   * @param mode how the tables are prepared before the load
   * @param own tables that an earlier attempt made, which are dropped before
   */
  public static Optional<Problem> problem(
      TargetConnection connection, List<TableId> tables, PrepMode mode, Predicate<TableId> own) {
    if (mode == PrepMode.DO_NOTHING) {
      return Optional.empty();
    }
    try {
      LoadDialect dialect = LoadDialects.of(connection.dialect());
      Optional<Problem> problem =
          mode == PrepMode.DROP_AND_CREATE
              ? dialect.lockingAllMade(
                  connection, tables, tables.stream().filter(own.negate()).toList())
              : dialect.lockingAllEmptied(connection, tables);
      connection.rollback();
      return problem;
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("ask for the room for locks on the target", e);
    }
  }
}
