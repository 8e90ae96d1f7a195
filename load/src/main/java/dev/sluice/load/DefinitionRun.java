package dev.sluice.load;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SqlDialect;
import dev.sluice.sink.target.TargetConnection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs definitions in the open transaction. The first failure ends it. Owned by the thread that
 * owns the connection.
 */
public final class DefinitionRun {
  private static final Logger LOG = LoggerFactory.getLogger(DefinitionRun.class);

  /** The standard's state for errors that somebody raises. */
  private static final String VIOLATION = "45000";

  private final TargetConnection connection;

  public DefinitionRun(TargetConnection connection) {
    this.connection = connection;
  }

  /**
   * Runs a definition.
   *
   * @throws SluiceException.Fatal if the target rejects the definition
   */
  public void make(DefinitionStatement definition) {
    try {
      makeUnlessThere(connection, definition);
    } catch (SQLException e) {
      connection.rollback();
      SluiceException classified = connection.errors().classify("create " + definition.thing(), e);
      if (classified instanceof SluiceException.Retryable) {
        throw classified;
      }
      throw new SluiceException.Fatal(
          new Problem(
              definition.thing() + " on the target",
              classified.getMessage(),
              "that the target takes: " + definition.sql(),
              "Make by hand on the target what it lacks, or create all tables there and set"
                  + " TargetTablePrepMode to DO_NOTHING."));
    }
  }

  /**
   * Runs a definition. If the target rejects it, that is logged and the transaction continues
   * without it.
   */
  public void makeIfTaken(DefinitionStatement definition) {
    if (isForeign(connection, definition)) {
      LOG.warn("{} is skipped: it is written for {}", definition.thing(), definition.dialect());
      return;
    }
    try {
      connection.execute("SAVEPOINT definition");
      try {
        connection.execute(definition.sql());
      } catch (SQLException e) {
        SluiceException classified = connection.errors().classify("make " + definition.thing(), e);
        if (classified instanceof SluiceException.Retryable) {
          throw classified;
        }
        connection.execute("ROLLBACK TO SAVEPOINT definition");
        LOG.warn("{} is skipped: {}", definition.thing(), classified.getMessage());
      }
      connection.execute("RELEASE SAVEPOINT definition");
    } catch (SQLException e) {
      throw connection.errors().classify("make " + definition.thing(), e);
    }
  }

  /** Runs a definition in the open transaction unless the target already has its object. */
  static void makeUnlessThere(TargetConnection connection, DefinitionStatement definition)
      throws SQLException {
    requireOwn(connection, definition);
    if (!isThere(connection, definition)) {
      run(connection, definition);
    }
  }

  /**
   * Runs the statement of a definition. A query looks for rows that the definition does not take,
   * and changes nothing.
   *
   * @throws SQLException also with the text of the query's row, if it returns one
   */
  static void run(TargetConnection connection, DefinitionStatement definition) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement()) {
      if (!statement.execute(definition.sql())) {
        return;
      }
      try (ResultSet row = statement.getResultSet()) {
        if (row.next()) {
          throw new SQLException(row.getString(1), VIOLATION);
        }
      }
    }
  }

  /** Whether the target has the object; false if the definition does not say how to find it. */
  static boolean isThere(TargetConnection connection, DefinitionStatement definition)
      throws SQLException {
    return !definition.unless().isEmpty() && connection.exists(definition.unless());
  }

  private static SqlDialect dialectOf(TargetConnection connection) {
    return new SqlDialect(connection.dialect().type());
  }

  private static boolean isForeign(TargetConnection connection, DefinitionStatement definition) {
    return !definition.dialect().equals(dialectOf(connection));
  }

  private static void requireOwn(TargetConnection connection, DefinitionStatement definition) {
    if (isForeign(connection, definition)) {
      throw new SluiceException.Fatal(
          new Problem(
              definition.thing() + " on the target",
              "its definition is written for " + definition.dialect(),
              "a definition for " + dialectOf(connection),
              "Create all tables on the target by hand, and set TargetTablePrepMode to"
                  + " DO_NOTHING."));
    }
  }

  /**
   * Turns off the check of function bodies for the open transaction: a body may name objects that
   * are created later.
   */
  public void withUncheckedFunctions() {
    try {
      for (String statement : connection.dialect().load().uncheckedFunctions()) {
        connection.execute(statement);
      }
    } catch (SQLException e) {
      throw connection.errors().classify("set up the session", e);
    }
  }
}
