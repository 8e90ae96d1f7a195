package dev.sluice.sink.control.report;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.sink.control.schema.ReportTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlStatements;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads of which rows of a table the target has rejected changes: entries of {@code
 * sluice_apply_exceptions}. The change that suspended a table is none of them: it is applied when
 * the table is resumed. Immutable, threadsafe.
 */
public final class RejectedRows {
  /**
   * Entries of a table that are read, the newest ones: others may be of rows that are long gone.
   */
  static final int MOST = 10_000;

  /** Characters of a key or row that is read: a listed row has large values as digests only. */
  private static final int LONGEST = 65_536;

  private static final int ERROR_LENGTH = 500;
  private static final int READ_TOGETHER = 500;

  private final String controlSchema;
  private final String task;

  public RejectedRows(String controlSchema, String task) {
    this.controlSchema = controlSchema;
    this.task = task;
  }

  /**
   * A rejected change.
   *
   * @param id of its entry
   * @param kind of the error, by {@link ErrorKind}
   * @param key of the row that it changes, as JSON by the names on the target; of a table without a
   *     key the complete row
   * @param row of an UPDATE, as JSON by the names on the target: it may have another key
   */
  public record Entry(
      long id,
      String operation,
      String position,
      String kind,
      String error,
      String key,
      Optional<String> row) {}

  /** Passes on the newest entries of a source table, the newest first. */
  public void newest(TargetServer server, TableId source, Consumer<Entry> each) {
    try (TargetConnection connection = server.borrow()) {
      if (!ReportTables.APPLY_EXCEPTIONS.isIn(connection, controlSchema)) {
        return;
      }
      try (PreparedStatement statement =
          connection.jdbc().prepareStatement(sql(connection.dialect().control()))) {
        statement.setFetchSize(READ_TOGETHER);
        statement.setString(1, task);
        statement.setString(2, source.schema());
        statement.setString(3, source.name());
        statement.setString(4, ErrorAction.SUSPEND_TABLE.name());
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            each.accept(entryOf(row));
          }
        }
      }
    } catch (SQLException e) {
      throw server.errors().classify("read which rows of " + source + " were rejected", e);
    }
  }

  private String sql(ControlStatements control) {
    return "SELECT id, operation, position, kind, substr(error, 1, "
        + ERROR_LENGTH
        + "), \"key\", CASE WHEN operation = 'UPDATE' AND length(row_data) <= "
        + LONGEST
        + " THEN row_data END FROM (SELECT id, operation, position, kind, error,"
        + " "
        + control.textOfJson("\"key\"")
        + " AS \"key\", "
        + control.textOfJson("row_data")
        + " AS row_data FROM "
        + ReportTables.APPLY_EXCEPTIONS.in(controlSchema)
        + " WHERE task_name = ? AND source_schema = ? AND source_table = ? AND action <> ?"
        + " ORDER BY id DESC "
        + control.firstRows(MOST)
        + ") e WHERE length(\"key\") <= "
        + LONGEST
        + " ORDER BY id DESC";
  }

  private static Entry entryOf(ResultSet row) throws SQLException {
    return new Entry(
        row.getLong(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        Optional.ofNullable(row.getString(7)));
  }
}
