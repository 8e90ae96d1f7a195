package dev.sluice.sink.control.report;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.report.ApplyException.Values;
import dev.sluice.sink.control.schema.ReportTables;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the table {@code sluice_apply_exceptions}, inside the transaction of the window with the
 * rejected changes. So each change is either applied once or listed once. Immutable; used by the
 * apply thread.
 */
public final class ApplyExceptions {
  private final String task;
  private final String insert;
  private final String count;

  public ApplyExceptions(String controlSchema, String task) {
    this.task = task;
    String table = ReportTables.APPLY_EXCEPTIONS.in(controlSchema);
    this.insert =
        "INSERT INTO "
            + table
            + " (task_name, table_owner, table_name, statement, error, \"sqlstate\", kind, action,"
            + " source_schema, source_table, operation, \"key\", row_data, position, journal_term,"
            + " journal_transaction, change_number, commit_time)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    this.count =
        "SELECT kind, count(*) FROM "
            + table
            + " WHERE task_name = ? AND source_schema = ? AND source_table = ? GROUP BY kind";
  }

  /** Writes rows in the open transaction. */
  public void write(TargetConnection connection, List<ApplyException> exceptions)
      throws SQLException {
    if (exceptions.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.jdbc().prepareStatement(insert)) {
      for (ApplyException exception : exceptions) {
        bind(statement, exception);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  /** Counts the listed errors of a source table, by kind. */
  public Map<ErrorKind, Long> count(TargetConnection connection, TableId source)
      throws SQLException {
    Map<ErrorKind, Long> counts = new EnumMap<>(ErrorKind.class);
    try (PreparedStatement statement = connection.jdbc().prepareStatement(count)) {
      statement.setString(1, task);
      statement.setString(2, source.schema());
      statement.setString(3, source.name());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          counts.put(ErrorKind.valueOf(row.getString(1)), row.getLong(2));
        }
      }
    }
    return counts;
  }

  private void bind(PreparedStatement statement, ApplyException exception) throws SQLException {
    statement.setString(1, task);
    statement.setString(2, exception.target().schema());
    statement.setString(3, exception.target().name());
    statement.setString(4, exception.statement());
    statement.setString(5, exception.error());
    statement.setString(6, exception.sqlState());
    statement.setString(7, exception.kind().name());
    statement.setString(8, exception.action().name());
    statement.setString(9, exception.source().schema());
    statement.setString(10, exception.source().name());
    statement.setString(11, exception.operation());
    statement.setString(12, json(exception.key()));
    statement.setString(13, json(exception.row()));
    statement.setString(14, exception.transaction().position().toString());
    statement.setLong(15, exception.transaction().term());
    statement.setLong(16, exception.transaction().number());
    statement.setLong(17, exception.ordinal());
    statement.setObject(18, exception.transaction().commitTime().atOffset(ZoneOffset.UTC));
  }

  private static String json(Values values) {
    return values == null ? null : JsonTexts.object(values.names(), values.texts());
  }
}
