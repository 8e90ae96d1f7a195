package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Column;
import java.util.List;
import java.util.Optional;

/**
 * What a task reports of a target table that cannot take its rows, whoever finds it: the checks
 * before the start, or the first window or load that meets the table. Stateless.
 */
public final class TargetTableProblems {
  private TargetTableProblems() {}

  /** The problem that triggers, rules or foreign keys cannot be switched off. */
  public static Problem wouldFire(TargetDialect dialect, TargetTable table, String user) {
    return new Problem(
        "target table " + table.id(),
        "has " + String.join(", ", table.firing()) + ", which would act on applied changes",
        "the right to switch them off for the session",
        dialect.checks().fixOfFiring(user));
  }

  /** The same before the start; empty if there are none, or the session switches them off. */
  static Optional<Problem> firing(
      TargetConnection connection, TargetServer server, TargetTable table) {
    return connection.replicaRole() || table.firing().isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "target table " + table.id(),
                "has " + String.join(", ", table.firing()),
                "the right to switch them off while changes are applied",
                server.dialect().checks().fixOfFiring(server.user())));
  }

  /** The problem that rows have no key, on a target that needs one. */
  public static Optional<Problem> withoutKey(
      TargetDialect dialect, TableId target, List<Column> columns) {
    return columns.stream().anyMatch(Column::key)
            || !dialect.limits().contains(TargetLimit.TABLES_WITHOUT_KEY)
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "target table " + target,
                "gets rows without a key, and one of several equal rows cannot be changed alone in"
                    + " "
                    + dialect.type(),
                "rows with a key",
                "Give the source's table a primary key, or deselect it"));
  }

  /** The problem that a table which the task does not create is not there. */
  static Problem missing(TargetDialect dialect, TableId target, TableId source) {
    return new Problem(
        "target table " + target,
        "does not exist, or is not a table",
        "a table for the rows of " + source,
        "Create it, "
            + (dialect.limits().contains(TargetLimit.MADE_TABLES)
                ? ""
                : "let the task create it with TargetTablePrepMode DROP_AND_CREATE, ")
            + "or deselect "
            + source
            + " out of the selection");
  }
}
