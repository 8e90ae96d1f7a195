package dev.sluice.sink.control.task;

import static dev.sluice.sink.target.control.ControlColumn.required;
import static dev.sluice.sink.target.control.ControlType.NAME;
import static dev.sluice.sink.target.control.ControlType.TIME;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.CutoverRecord;
import dev.sluice.sink.control.schema.ControlTable;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.StoredTime;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The target's record of tables that applications use since a cutover; nothing is loaded into them
 * any more. It is in its own schema, so that it survives the removal of the task and of the control
 * schema. Only {@link #forget} deletes from it. Threadsafe: each call uses its own connection, and
 * its writes are durable when it returns.
 */
public final class CutOverTables {
  private static final TableId TABLE = new TableId(CutoverRecord.SCHEMA, "cut_over_table");

  private static final List<String> COLUMNS =
      List.of("table_schema", "table_name", "task", "cut_over_at");

  private static final ControlTable RECORD =
      ControlTable.of(
          TABLE.name(),
          List.of("table_schema", "table_name", "task"),
          required("table_schema", NAME),
          required("table_name", NAME),
          required("task", NAME),
          required("cut_over_at", TIME));

  /** The lock that serializes the creation, since two daemons may start at the same time. */
  private static final String LOCK = "cutover record";

  private final TargetServer server;

  public CutOverTables(TargetServer server) {
    this.server = server;
  }

  /**
   * A table that applications use since a cutover.
   *
   * @param table the target table
   * @param task the task that was cut over
   */
  public record CutOverTable(TableId table, String task, Instant at) {}

  /** Creates the record if it is missing. Call it before a cutover, so that none fails later. */
  public void create() {
    try (TargetConnection connection = server.borrow()) {
      connection.dialect().locks().lock(connection.jdbc(), "sluice", LOCK);
      if (!isThere(connection)) {
        connection.commitDurably();
        if (!connection
            .dialect()
            .controlDefinitions()
            .hasSchema(connection.jdbc(), CutoverRecord.SCHEMA)) {
          connection.execute("CREATE SCHEMA " + TableId.quote(CutoverRecord.SCHEMA));
        }
        RECORD.createIn(connection, CutoverRecord.SCHEMA);
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("create the schema " + CutoverRecord.SCHEMA, e);
    }
  }

  /** Adds tables; existing records stay. */
  public void record(String task, Collection<TableId> tables, Instant at) {
    create();
    try (TargetConnection connection = server.borrow();
        PreparedStatement statement =
            connection
                .dialect()
                .control()
                .prepareInsertUnlessThere(connection.jdbc(), TABLE.quoted(), COLUMNS)) {
      connection.commitDurably();
      for (TableId table : tables) {
        statement.setString(1, table.schema());
        statement.setString(2, table.name());
        statement.setString(3, task);
        statement.setObject(4, OffsetDateTime.ofInstant(at, ZoneOffset.UTC));
        statement.addBatch();
      }
      statement.executeBatch();
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("record the cutover of task " + task, e);
    }
  }

  /** The recorded tables among these, their partitions and their roots. */
  public List<CutOverTable> among(Collection<TableId> tables) {
    try (TargetConnection connection = server.borrow()) {
      if (!isThere(connection)) {
        return List.of();
      }
      Set<TableId> related =
          connection.dialect().catalog().withPartitions(connection.jdbc(), tables);
      return all(connection).stream().filter(each -> related.contains(each.table())).toList();
    } catch (SQLException e) {
      throw server.errors().classify("read earlier cutovers", e);
    }
  }

  /** The tables recorded by the cutover of a task. */
  public List<CutOverTable> of(String task) {
    try (TargetConnection connection = server.borrow()) {
      if (!isThere(connection)) {
        return List.of();
      }
      return of(connection, task);
    } catch (SQLException e) {
      throw server.errors().classify("read earlier cutovers", e);
    }
  }

  private static List<CutOverTable> all(TargetConnection connection) throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT %s FROM %s ORDER BY table_schema, table_name"
                    .formatted(String.join(", ", COLUMNS), TABLE.quoted()))) {
      return read(statement);
    }
  }

  private static List<CutOverTable> of(TargetConnection connection, String task)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT %s FROM %s WHERE task = ? ORDER BY table_schema, table_name"
                    .formatted(String.join(", ", COLUMNS), TABLE.quoted()))) {
      statement.setString(1, task);
      return read(statement);
    }
  }

  /** Deletes the records of these tables by a task's cutover, and returns them. */
  public List<CutOverTable> forget(String task, Collection<TableId> tables) {
    try (TargetConnection connection = server.borrow()) {
      if (!isThere(connection)) {
        return List.of();
      }
      List<CutOverTable> forgotten =
          of(connection, task).stream().filter(each -> tables.contains(each.table())).toList();
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement(
                  "DELETE FROM "
                      + TABLE.quoted()
                      + " WHERE task = ? AND table_schema = ? AND table_name = ?")) {
        for (CutOverTable each : forgotten) {
          statement.setString(1, task);
          statement.setString(2, each.table().schema());
          statement.setString(3, each.table().name());
          statement.addBatch();
        }
        statement.executeBatch();
      }
      connection.commitDurably();
      connection.jdbc().commit();
      return forgotten;
    } catch (SQLException e) {
      throw server.errors().classify("forget the cutover of task " + task, e);
    }
  }

  private static boolean isThere(TargetConnection connection) throws SQLException {
    if (RECORD.isIn(connection, CutoverRecord.SCHEMA)) {
      return true;
    }
    // Taken for missing, a load would begin over the rows of applications.
    connection.dialect().controlDefinitions().requireSight(connection.jdbc(), TABLE);
    return false;
  }

  private static List<CutOverTable> read(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      List<CutOverTable> tables = new ArrayList<>();
      while (row.next()) {
        tables.add(
            new CutOverTable(
                new TableId(row.getString(1), row.getString(2)),
                row.getString(3),
                StoredTime.read(row, 4).orElseThrow()));
      }
      return tables;
    }
  }
}
