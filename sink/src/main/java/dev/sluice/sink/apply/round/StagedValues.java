package dev.sluice.sink.apply.round;

import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;
import java.util.List;

/**
 * Old values of rows that are taken away and come back, by the row's ordinal in its set. Stateless.
 */
final class StagedValues {
  private StagedValues() {}

  /**
   * The temporary table for the values of these columns.
   *
   * @param owner for whom it is empty when it is first asked for
   */
  static String table(
      ApplySession session,
      TablePlan plan,
      StagingShape shape,
      List<TargetColumn> columns,
      Object owner)
      throws SQLException {
    StringBuilder definition = new StringBuilder("n bigint");
    for (TargetColumn column : columns) {
      definition
          .append(", ")
          .append(KeyedStatements.keptName(column))
          .append(' ')
          .append(column.storedType());
    }
    String table =
        session
            .staging()
            .table("kept_" + plan.table().oid() + "_" + shape.name(), definition.toString());
    if (!session.staging().holds(table, owner)) {
      session.staging().fill(table, owner);
    }
    return table;
  }
}
