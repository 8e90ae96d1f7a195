package dev.sluice.sink.control.report;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.schema.ReportTables;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;

/** Rows of {@code sluice_apply_exceptions} for tests. */
public final class RejectedRow {
  private RejectedRow() {}

  /** Inserts a change that was rejected and logged, in the open transaction. */
  public static void insert(
      TargetConnection connection, String control, String task, TableId table, String position)
      throws SQLException {
    connection.execute(
        """
        INSERT INTO %s (task_name, table_owner, table_name, statement, error, sqlstate, kind,
          action, operation, journal_term, journal_transaction, change_number, commit_time,
          source_schema, source_table, position)
        VALUES ('%s', '', '', '', '', '', 'INSERT_CONFLICT', 'LOG_ERROR', 'INSERT', 1, 1, 1, now(),
          '%s', '%s', '%s')
        """
            .formatted(
                ReportTables.APPLY_EXCEPTIONS.in(control),
                task,
                table.schema(),
                table.name(),
                position));
  }
}
