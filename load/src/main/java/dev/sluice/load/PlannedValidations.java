package dev.sluice.load;

import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.sink.target.LoadStatements.Limit;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks whether the rows that a table has now fit constraints that are not made yet. Only for
 * targets that validate a constraint by a query first: the query changes nothing. Stateless.
 */
public final class PlannedValidations {
  private PlannedValidations() {}

  /**
   * What is known of one constraint. Immutable.
   *
   * @param violation the rows that it does not take, in the server's words; empty if there are none
   * @param known false if the look took too long
   */
  public record Seen(CompletionStep step, Optional<String> violation, boolean known) {}

  /**
   * Runs the queries of the validations among the steps.
   *
   * @param longest for each
   */
  public static List<Seen> look(TargetServer target, List<CompletionStep> steps, Duration longest) {
    List<Seen> seen = new ArrayList<>();
    try (TargetConnection connection = target.borrow()) {
      for (CompletionStep step : steps) {
        if (step.kind() == Kind.VALIDATION && step.skipped().isEmpty() && isDue(connection, step)) {
          seen.add(look(connection, step, longest));
        }
      }
      connection.rollback();
      return seen;
    } catch (SQLException e) {
      throw target.errors().classify("look at rows for constraints", e);
    }
  }

  /** Without the table that it references a constraint is not made. */
  private static boolean isDue(TargetConnection connection, CompletionStep step)
      throws SQLException {
    return step.references().isEmpty()
        || connection
            .dialect()
            .controlDefinitions()
            .hasTable(connection.jdbc(), step.references().get());
  }

  private static Seen look(TargetConnection connection, CompletionStep step, Duration longest)
      throws SQLException {
    // A target may forget the limit with the transaction, which ends after each look.
    Limit limit = connection.dialect().load().limitStatements(connection.jdbc(), longest);
    try {
      // What comes after the query is for the constraint that is there.
      DefinitionRun.run(connection, step.statements().get(0));
      return new Seen(step, Optional.empty(), true);
    } catch (SQLException e) {
      TargetFault fault = connection.errors().faultOf(e);
      if (fault == TargetFault.CANCELLED) {
        return new Seen(step, Optional.empty(), false);
      }
      if (fault == TargetFault.BAD_ROW) {
        return new Seen(step, Optional.of(connection.errors().textOf(e)), true);
      }
      throw e;
    } finally {
      connection.rollback();
      limit.end();
    }
  }
}
