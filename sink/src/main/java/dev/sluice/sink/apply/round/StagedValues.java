package dev.sluice.sink.apply.round;

import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.StagingShape;
import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;
import java.util.List;

/** Temporary tables for the old values of rows that are deleted and inserted again. Stateless. */
final class StagedValues {
  private StagedValues() {}

  /**
   * Returns the temporary table for the values of these columns, keyed by the row's ordinal.
   *
   * @param owner the table is emptied at an owner's first call
   */
  static String table(
      ApplySession session,
      TablePlan plan,
      StagingShape shape,
      List<TargetColumn> columns,
      Object owner)
      throws SQLException {
    String definition = session.dialect().staging().keptColumns(columns);
    String table =
        session.staging().table("kept_" + plan.table().oid() + "_" + shape.name(), definition);
    if (!session.staging().holds(table, owner)) {
      session.staging().fill(table, owner);
    }
    return table;
  }
}
