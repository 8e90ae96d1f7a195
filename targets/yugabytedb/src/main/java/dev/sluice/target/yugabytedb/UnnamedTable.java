package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.load.target.FoundTable;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/*
 * Each statement is a transaction of its own, so a table gets its name last, when it has its mark:
 * what a kill leaves before that has a name of Sluice's, no rows, and is dropped by the next attempt.
 */
/**
 * A table while it is made: it has a name of Sluice's until it has its mark. Immutable. Each method
 * runs under the lock of the table's name, and ends the open transaction.
 *
 * @param table the name that it gets
 */
record UnnamedTable(TableId table) {
  private static final String PREFIX = "sluice_new_";
  private static final String NAME_TAKEN = "42P07";

  /** Whether a table could not be made, or named, because something has the name. */
  static boolean isNameTaken(SQLException error) {
    return NAME_TAKEN.equals(error.getSQLState());
  }

  /** The same at each attempt. */
  private TableId name() {
    return new TableId(table.schema(), PREFIX + Integer.toHexString(table.toString().hashCode()));
  }

  private String drop() {
    return "DROP TABLE IF EXISTS " + name().quoted();
  }

  /**
   * Drops what an earlier attempt has left, and creates the schema if there is none.
   *
   * @throws SluiceException.Fatal if something else has the name
   */
  void clear(TargetConnection connection) throws SQLException {
    requireOwn(connection);
    List<String> statements = new ArrayList<>();
    if (!connection.dialect().controlDefinitions().hasSchema(connection.jdbc(), table.schema())) {
      statements.add("CREATE SCHEMA IF NOT EXISTS " + TableId.quote(table.schema()));
    }
    statements.add(drop());
    CommittedStatements.each(connection, statements);
  }

  private void requireOwn(TargetConnection connection) throws SQLException {
    Optional<FoundTable> found = YugabyteFoundTables.find(connection, name());
    boolean own =
        found.isEmpty()
            || found.get().ordinary() && !YugabyteFoundTables.isFilled(connection, name());
    connection.rollback();
    if (!own) {
      throw new SluiceException.Fatal(
          new Problem(
              "target table " + name(),
              "is there, and is not what an attempt to make a table has left",
              "no table of that name, or one without rows",
              "Look what it is, and rename it"));
    }
  }

  /**
   * Makes the table, marks it, and then gives it its name.
   *
   * @param body columns and key, as they stand in CREATE TABLE
   * @param comment its mark
   */
  void make(TargetConnection connection, String body, String comment) throws SQLException {
    try {
      CommittedStatements.each(
          connection,
          List.of(
              "CREATE TABLE %s (%s)".formatted(name().quoted(), body),
              "COMMENT ON TABLE %s IS %s".formatted(name().quoted(), Literal.of(comment)),
              "ALTER TABLE %s RENAME TO %s"
                  .formatted(name().quoted(), TableId.quote(table.name()))));
    } catch (SQLException e) {
      if (isNameTaken(e)) {
        CommittedStatements.each(connection, List.of(drop()));
      }
      throw e;
    }
  }
}
