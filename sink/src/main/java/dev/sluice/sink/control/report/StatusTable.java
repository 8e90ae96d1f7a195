package dev.sluice.sink.control.report;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.HostName;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.control.schema.ReportTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlStatements.Assignment;
import dev.sluice.sink.target.control.ControlStatements.Upsert;
import dev.sluice.sink.target.control.StoredTime;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/**
 * Writes the table {@code sluice_status}, which has one row for each task. Immutable, threadsafe:
 * each call uses its own connection.
 */
public final class StatusTable {

  /**
   * A task's row.
   *
   * @param status the task's status by its DMS name
   * @param pendingChanges changes that were captured and not applied yet
   * @param swapBytes bytes of open transactions on disk
   * @param memoryBytes bytes of open transactions and windows in memory
   * @param captured position of the last transaction in the journal
   * @param durable position of the last transaction that a restart does not apply again
   * @param appliedCommit commit time on the source of the last applied transaction
   * @param problem why the task cannot continue; null if it can
   */
  public record Row(
      String status,
      long pendingChanges,
      long swapBytes,
      long memoryBytes,
      Optional<Position> captured,
      Optional<Instant> capturedCommit,
      Optional<Position> durable,
      Optional<Instant> durableCommit,
      Optional<Instant> appliedCommit,
      String phase,
      String problem,
      long suspendedTables) {}

  /** What is known of the source stays until something newer is known. */
  private static final List<String> COLUMNS =
      List.of(
          "server_name",
          "task_name",
          "task_status",
          "status_time",
          "pending_changes",
          "disk_swap_size",
          "task_memory",
          "source_current_position",
          "source_current_timestamp",
          "source_tail_position",
          "source_tail_timestamp",
          "source_timestamp_applied",
          "phase",
          "problem",
          "suspended_tables");

  private static final long MEGABYTE = 1024 * 1024;

  private final TargetServer server;
  private final String task;
  private final String owned;
  private final Upsert write;

  public StatusTable(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.task = task;
    this.owned =
        "SELECT task FROM "
            + ProgressTables.CHECKPOINT.in(controlSchema)
            + " WHERE task = ? AND epoch = ?";
    this.write =
        new Upsert(
            ReportTables.STATUS.in(controlSchema),
            COLUMNS,
            COLUMNS.stream()
                .map(column -> column.equals("status_time") ? "CURRENT_TIMESTAMP" : "?")
                .toList(),
            List.of("task_name"),
            COLUMNS.stream()
                .filter(column -> !column.equals("task_name"))
                .map(
                    column ->
                        column.startsWith("source_")
                            ? Assignment.unlessNull(column)
                            : Assignment.of(column))
                .toList());
  }

  /**
   * When the last applied transaction was committed on the source, as the task's row says.
   *
   * @return empty if it does not say that
   */
  public static Optional<Instant> lastApplied(
      TargetServer server, String controlSchema, String task) {
    try (TargetConnection connection = server.borrow();
        PreparedStatement select =
            connection
                .jdbc()
                .prepareStatement(
                    "SELECT source_timestamp_applied FROM "
                        + ReportTables.STATUS.in(controlSchema)
                        + " WHERE task_name = ?")) {
      select.setString(1, task);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? StoredTime.read(row, 1) : Optional.empty();
      }
    } catch (SQLException e) {
      throw server.errors().classify("read the status of task " + task, e);
    }
  }

  /**
   * Writes the task's row, unless another daemon claimed the task.
   *
   * @param epoch the epoch of this daemon's claim
   */
  public void write(long epoch, Row row) {
    try (TargetConnection connection = server.borrow()) {
      if (!isOwned(connection, epoch)) {
        return;
      }
      try (PreparedStatement statement =
          connection.dialect().control().prepareUpsert(connection.jdbc(), write)) {
        statement.setString(1, HostName.text());
        statement.setString(2, task);
        statement.setString(3, row.status());
        statement.setLong(4, row.pendingChanges());
        statement.setLong(5, row.swapBytes() / MEGABYTE);
        statement.setLong(6, row.memoryBytes() / MEGABYTE);
        bind(statement, 7, row.captured(), row.capturedCommit());
        bind(statement, 9, row.durable(), row.durableCommit());
        bind(statement, 11, row.appliedCommit());
        statement.setString(12, row.phase());
        statement.setString(13, row.problem());
        statement.setLong(14, row.suspendedTables());
        statement.executeUpdate();
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("write the status of task " + task, e);
    }
  }

  private boolean isOwned(TargetConnection connection, long epoch) throws SQLException {
    try (PreparedStatement select = connection.jdbc().prepareStatement(owned)) {
      select.setString(1, task);
      select.setLong(2, epoch);
      try (ResultSet row = select.executeQuery()) {
        return row.next();
      }
    }
  }

  private static void bind(
      PreparedStatement statement, int parameter, Optional<Position> position, Optional<Instant> at)
      throws SQLException {
    statement.setString(parameter, position.map(Position::toString).orElse(null));
    bind(statement, parameter + 1, at);
  }

  private static void bind(PreparedStatement statement, int parameter, Optional<Instant> at)
      throws SQLException {
    statement.setObject(parameter, at.map(time -> time.atOffset(ZoneOffset.UTC)).orElse(null));
  }
}
