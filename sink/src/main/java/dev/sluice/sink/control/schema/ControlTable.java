package dev.sluice.sink.control.schema;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlDefinitions;
import dev.sluice.sink.target.control.ControlShape;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * A table of the control schema. Tables for users are named {@code sluice_…}. Immutable.
 *
 * @param shape its columns and indexes; the dialect creates it, and adds what a table of an earlier
 *     version lacks
 */
public record ControlTable(String name, ControlShape shape) {

  /** A table with a primary key, without other indexes. */
  public static ControlTable of(String name, List<String> key, ControlColumn... columns) {
    return new ControlTable(name, new ControlShape(List.of(columns), key, List.of(), false));
  }

  /** The same table, whose rows change with each window. */
  ControlTable oftenUpdated() {
    return new ControlTable(
        name, new ControlShape(shape.columns(), shape.key(), shape.index(), true));
  }

  /** The same table with another index. */
  ControlTable indexedBy(String... columns) {
    return new ControlTable(
        name,
        new ControlShape(shape.columns(), shape.key(), List.of(columns), shape.oftenUpdated()));
  }

  /** The quoted name for a statement. */
  public String in(String schema) {
    return id(schema).quoted();
  }

  private TableId id(String schema) {
    return new TableId(schema, name);
  }

  /**
   * Whether the table exists. A table of an earlier version is upgraded in the open transaction, so
   * that it can be read. Callers that only read roll back: a read must change nothing, and a check
   * reads before {@link ControlSchema#create} has upgraded the schema.
   *
   * @throws SluiceException.Fatal if it is of an earlier version and the target's DDL cannot be
   *     rolled back
   */
  public boolean isIn(TargetConnection connection, String schema) throws SQLException {
    boolean there = existsIn(connection, schema);
    if (there) {
      List<String> renewals = renewals(connection, schema);
      if (!renewals.isEmpty() && !connection.dialect().ddl().isTransactional()) {
        throw notReadable(schema);
      }
      for (String statement : renewals) {
        connection.execute(statement);
      }
    }
    return there;
  }

  private SluiceException notReadable(String schema) {
    return new SluiceException.Fatal(
        new Problem(
            "table " + id(schema),
            "it is of an earlier version of Sluice, and the target would keep any change to it",
            "a table of this version",
            "Continue with the version of Sluice that made it"));
  }

  /** Whether the table exists, of any version. */
  boolean existsIn(TargetConnection connection, String schema) throws SQLException {
    return definitions(connection).hasTable(connection.jdbc(), id(schema));
  }

  /** Whether the table exists and is of an earlier version. */
  boolean isOldIn(TargetConnection connection, String schema) throws SQLException {
    return !renewals(connection, schema).isEmpty();
  }

  /** Creates the table, which must be missing. */
  public void createIn(TargetConnection connection, String schema) throws SQLException {
    for (String statement : definitions(connection).create(id(schema), shape)) {
      connection.execute(statement);
    }
  }

  void renewIn(TargetConnection connection, String schema) throws SQLException {
    for (String statement : renewals(connection, schema)) {
      connection.execute(statement);
    }
  }

  /** What the table, which is there, still lacks and is made outside of a transaction. */
  List<String> lackingIn(TargetConnection connection, String schema) throws SQLException {
    return definitions(connection).lacking(connection.jdbc(), id(schema), shape);
  }

  private List<String> renewals(TargetConnection connection, String schema) throws SQLException {
    return definitions(connection).renew(connection.jdbc(), id(schema), shape);
  }

  private static ControlDefinitions definitions(TargetConnection connection) {
    return connection.dialect().controlDefinitions();
  }

  /**
   * Deletes the task's rows; returns whether there were any.
   *
   * @param and a further condition, or nothing
   */
  boolean empty(TargetConnection connection, String schema, String task, String and)
      throws SQLException {
    String column = name.startsWith("sluice_") ? "task_name" : "task";
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement("DELETE FROM %s WHERE %s = ?%s".formatted(in(schema), column, and))) {
      statement.setString(1, task);
      return statement.executeUpdate() > 0;
    }
  }
}
