package dev.sluice.sink.control.schema;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A table of the control schema. Tables for users are named {@code sluice_…}. Immutable.
 *
 * @param create the statement that creates it, with {@code %1$s} for its name
 * @param renewals what makes a table of an earlier version one of this version, in order
 */
public record ControlTable(String name, String create, List<Renewal> renewals) {

  /**
   * A change to a table of an earlier version. Immutable.
   *
   * @param column the column that tells the versions apart
   * @param former the column's type in the earlier version; empty if the column was missing
   * @param alter the statement, with {@code %1$s} for the table's name
   */
  record Renewal(String column, Optional<String> former, String alter) {

    /** Columns that were added later; if one of them exists, all do. */
    static Renewal added(String column, String alter) {
      return new Renewal(column, Optional.empty(), alter);
    }

    /**
     * Columns with positions, which were of PostgreSQL's type {@code pg_lsn} and so could not hold
     * those of another source.
     */
    static Renewal positions(String... columns) {
      String alter =
          Arrays.stream(columns)
              .map("ALTER COLUMN %1$s TYPE text USING %1$s::text"::formatted)
              .collect(Collectors.joining(", "));
      return new Renewal(columns[0], Optional.of("pg_lsn"), "ALTER TABLE %1$s " + alter);
    }

    private boolean isDue(Map<String, String> types) {
      return Optional.ofNullable(types.get(column)).equals(former);
    }
  }

  ControlTable(String name, String create, Renewal... renewals) {
    this(name, create, List.of(renewals));
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

  /** Whether the table exists and is of an earlier version. */
  boolean isOldIn(TargetConnection connection, String schema) throws SQLException {
    return !due(connection, schema).isEmpty();
  }

  void createIn(TargetConnection connection, String schema) throws SQLException {
    connection.execute(create.formatted(in(schema)));
  }

  void renewIn(TargetConnection connection, String schema) throws SQLException {
    for (Renewal renewal : due(connection, schema)) {
      connection.execute(renewal.alter().formatted(in(schema)));
    }
  }

  private List<Renewal> due(TargetConnection connection, String schema) throws SQLException {
    if (renewals.isEmpty()) {
      return renewals;
    }
    Map<String, String> types = types(connection, schema);
    return types.isEmpty()
        ? List.of()
        : renewals.stream().filter(renewal -> renewal.isDue(types)).toList();
  }

  /** The types of the columns by name; none if the table does not exist. */
  private Map<String, String> types(TargetConnection connection, String schema)
      throws SQLException {
    Map<String, String> types = new HashMap<>();
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT attname, atttypid::regtype::text FROM pg_attribute"
                    + " WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped")) {
      statement.setString(1, in(schema));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          types.put(row.getString(1), row.getString(2));
        }
      }
    }
    return types;
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
