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
 * Checks whether the current rows of tables fulfil constraints that are not created yet. Only for
 * targets that first validate a constraint by a query, which changes nothing. Stateless.
 */
public final class PlannedValidations {
  private PlannedValidations() {}

  /**
   * The result for one constraint. Immutable.
   *
   * @param violation the rows that violate it, as text of the server; empty if there are none
   * @param known false if the query took too long
   */
  public record Seen(CompletionStep step, Optional<String> violation, boolean known) {}

  /**
   * Runs the queries of the validations among the steps.
   *
   * @param longest the time limit of each query
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

  /** Whether the referenced table exists: otherwise the constraint is not created. */
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
    // Set again each time, since the limit may end with the transaction, which ends after each
    // query.
    Limit limit = connection.dialect().load().limitStatements(connection.jdbc(), longest);
    try {
      // Only the query is run: the statements after it need the constraint.
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
