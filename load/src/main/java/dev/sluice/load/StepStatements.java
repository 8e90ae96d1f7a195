package dev.sluice.load;

import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.stream.Collectors;

/** The statements of a completion step, and what the target has of their objects. Immutable. */
record StepStatements(CompletionStep step) {

  /**
   * Runs those whose objects the target does not have. Where DDL runs outside of transactions only,
   * the open one is ended before.
   */
  void run(TargetConnection connection) throws SQLException {
    boolean alone = connection.dialect().ddl().runsAlone();
    if (alone) {
      connection.rollback();
      connection.jdbc().setAutoCommit(true);
    }
    try {
      for (DefinitionStatement statement : step.statements()) {
        DefinitionRun.makeUnlessThere(connection, statement);
      }
    } finally {
      if (alone && !connection.jdbc().isClosed()) {
        connection.jdbc().setAutoCommit(false);
      }
    }
  }

  /** Whether the target has all objects; false if a statement does not say how to find its own. */
  boolean areMade(TargetConnection connection) throws SQLException {
    for (DefinitionStatement statement : step.statements()) {
      if (!DefinitionRun.isThere(connection, statement)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the target has all objects that can be found. */
  boolean areStillMade(TargetConnection connection) throws SQLException {
    for (DefinitionStatement statement : step.statements()) {
      if (!statement.unless().isEmpty() && !DefinitionRun.isThere(connection, statement)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The statements for a user who makes the object by hand: all of them, but not those by which a
   * validation looks at the rows.
   */
  String byHand() {
    long looks = step.kind() == Kind.VALIDATION ? step.statements().size() - 1L : 0;
    return step.statements().stream()
        .skip(looks)
        .map(DefinitionStatement::sql)
        .collect(Collectors.joining("; "));
  }
}
