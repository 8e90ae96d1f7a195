package dev.sluice.sink.control.schema;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A table of the control schema. Tables for users are named {@code sluice_…}. Immutable.
 *
 * @param create the statement that creates it, with {@code %1$s} for its name
 * @param later columns that a table of an earlier version lacks
 */
public record ControlTable(String name, String create, Optional<LaterColumns> later) {

  /** Columns that were added later; if one of them exists, all do. */
  record LaterColumns(String column, String add) {}

  ControlTable(String name, String create) {
    this(name, create, Optional.empty());
  }

  ControlTable(String name, String create, LaterColumns later) {
    this(name, create, Optional.of(later));
  }

  /** The quoted name for a statement. */
  public String in(String schema) {
    return new TableId(schema, name).quoted();
  }

  public boolean isIn(TargetConnection connection, String schema) throws SQLException {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
      statement.setString(1, in(schema));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  /** Whether the table exists and lacks the later columns. */
  boolean isOldIn(TargetConnection connection, String schema) throws SQLException {
    if (later.isEmpty()) {
      return false;
    }
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT 1 WHERE to_regclass(?) IS NOT NULL AND NOT EXISTS (SELECT FROM pg_attribute"
                    + " WHERE attrelid = to_regclass(?) AND attname = ?)")) {
      statement.setString(1, in(schema));
      statement.setString(2, in(schema));
      statement.setString(3, later.get().column());
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  void createIn(TargetConnection connection, String schema) throws SQLException {
    connection.execute(create.formatted(in(schema)));
  }

  void renewIn(TargetConnection connection, String schema) throws SQLException {
    connection.execute(later.orElseThrow().add().formatted(in(schema)));
  }

  /** Deletes the task's rows; returns whether there were any. */
  boolean empty(TargetConnection connection, String schema, String task) throws SQLException {
    String column = name.startsWith("sluice_") ? "task_name" : "task";
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement("DELETE FROM %s WHERE %s = ?".formatted(in(schema), column))) {
      statement.setString(1, task);
      return statement.executeUpdate() > 0;
    }
  }
}
