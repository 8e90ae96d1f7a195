package dev.sluice.sink.control.schema;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.TreeSet;

/**
 * Voids what a start of the validation would restore: that the keys of rows that were changed and
 * not compared can be read again from the journal. Done in the transaction that makes it untrue, so
 * that no moment of a kill is between the two. Stateless.
 */
public final class RereadMarks {
  private RereadMarks() {}

  /** No table of the task counts as followed after the next start. */
  public static void voidTask(TargetConnection connection, String controlSchema, String task)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "DELETE FROM " + ValidationTables.REREAD.in(controlSchema) + " WHERE task = ?")) {
      statement.setString(1, task);
      statement.executeUpdate();
    }
  }

  /** These tables do not count as followed after the next start. */
  public static void voidTables(
      TargetConnection connection, String controlSchema, String task, Collection<TableId> tables)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "UPDATE "
                    + ValidationTables.COVERAGE.in(controlSchema)
                    + " SET followed_from = NULL, followed_epoch = NULL"
                    + " WHERE task = ? AND source_schema = ? AND source_table = ?")) {
      // In one order, as others write several of these rows in a transaction, too.
      for (TableId table : new TreeSet<>(tables)) {
        statement.setString(1, task);
        statement.setString(2, table.schema());
        statement.setString(3, table.name());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }
}
