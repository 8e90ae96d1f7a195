package dev.sluice.sink.apply.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs DDL on the target inside the caller's transaction. Owned by the apply thread. */
final class DefinitionStatements {
  private static final Logger LOG = LoggerFactory.getLogger(DefinitionStatements.class);

  private final TargetConnection connection;

  DefinitionStatements(TargetConnection connection) {
    this.connection = connection;
  }

  /**
   * Refuses a statement on a target where DDL commits: rows and checkpoint of the window would not
   * commit together.
   *
   * @throws SluiceException.Data if the target commits at the statement
   */
  static void requireTransaction(DdlStatements ddl, String statement) {
    if (!ddl.isTransactional()) {
      throw new SluiceException.Data(
          "not replicated, since this target commits at such a statement: %s; run it on the target, then reload the table"
              .formatted(statement),
          null);
    }
  }

  /** The failure of a change that statements cannot make on the target. */
  static SluiceException refused(TableId table, String why) {
    return new SluiceException.Data(
        "target table %s %s; load the table again".formatted(table, why), null);
  }

  void makeUnlessThere(DefinitionStatement statement) throws SQLException {
    if (statement.unless().isEmpty() || !connection.exists(statement.unless())) {
      requireTransaction(connection.dialect().ddl(), statement.sql());
      connection.execute(statement.sql());
    }
  }

  void run(List<String> statements) throws SQLException {
    for (String statement : statements) {
      requireTransaction(connection.dialect().ddl(), statement);
      connection.execute(statement);
    }
  }

  /**
   * Runs optional statements, which may need functions or a layout that the target lacks. False if
   * one failed; only that one is rolled back then.
   */
  boolean runOptional(List<String> statements) throws SQLException {
    boolean all = true;
    for (String statement : statements) {
      requireTransaction(connection.dialect().ddl(), statement);
      connection.execute("SAVEPOINT optional");
      try {
        connection.execute(statement);
      } catch (SQLException e) {
        if (!connection.errors().faultOf(e).rejectsDefinition()) {
          throw e;
        }
        connection.execute("ROLLBACK TO SAVEPOINT optional");
        LOG.warn("the target rejected an optional statement: {}: {}", statement, e.getMessage());
        all = false;
      }
      connection.execute("RELEASE SAVEPOINT optional");
    }
    return all;
  }

  /**
   * The failure of statements that alter or drop something. It names the object of the target that
   * depends on it, which is never dropped with it.
   */
  SluiceException dependent(SQLException error, String what) throws SQLException {
    if (connection.errors().faultOf(error) == TargetFault.DEPENDENT_OBJECT) {
      return new SluiceException.Data(
          "%s cannot be altered or dropped as on the source: %s; drop what depends on it on the target"
              .formatted(what, error.getMessage().replaceAll("\\s*\\n\\s*", "; ")),
          error);
    }
    throw error;
  }
}
