package dev.sluice.sink.apply.round;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.target.EmptyingStatements;
import dev.sluice.sink.target.TargetTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Empties target tables as one TRUNCATE of the source did. Stateless.
 *
 * <p>PostgreSQL truncates a table with incoming foreign keys only together with the referencing
 * tables, even in the replica role. So one TRUNCATE has all tables. Tables referenced from outside
 * of it are emptied by DELETE.
 */
public final class Truncation {

  /**
   * A table to be emptied.
   *
   * @param condition SQL condition of the rows to delete; null: all rows
   */
  record Emptying(TargetTable table, String condition) {}

  private Truncation() {}

  /**
   * Fails if the policy forbids TRUNCATE.
   *
   * @param upTo the position of the transaction with the TRUNCATE, or a later one
   * @throws SluiceException.Fatal if the policy is to stop
   */
  public static void refuseWhereAsked(TaskSettings settings, List<Emptied> tables, Position upTo) {
    if (!settings.get(ErrorBehavior.APPLY_ERROR_FAIL_ON_TRUNCATION_DDL) || tables.isEmpty()) {
      return;
    }
    throw new SluiceException.Fatal(
        new Problem(
            "table " + tables.get(0).table(),
            "was truncated on the source, in a transaction at or before " + upTo,
            "no TRUNCATE, because of ErrorBehavior.ApplyErrorFailOnTruncationDdl",
            "Set it to false to let the target's table be truncated as well. Or start after the"
                + " TRUNCATE: sluice resync --delete-extra, and then sluice run, make all tables"
                + " equal again by difference, and delete the rows that only the target has"));
  }

  static void apply(ApplySession session, List<Emptying> emptyings) {
    EmptyingStatements statements = session.dialect().emptying();
    List<TargetTable> truncated =
        statements.truncatesInTransaction() ? truncatable(emptyings) : List.of();
    if (!truncated.isEmpty()) {
      session.attempt(
          "truncate " + ids(truncated), () -> session.execute(statements.truncate(truncated)));
    }
    for (Emptying emptying : emptyings) {
      if (!truncated.contains(emptying.table())) {
        session.attempt(
            "empty " + emptying.table().id(),
            () -> session.execute(statements.delete(emptying.table(), emptying.condition())));
      }
    }
  }

  /** The tables that one TRUNCATE can empty: no table outside of it references them. */
  static List<TargetTable> truncatable(List<Emptying> emptyings) {
    List<TargetTable> tables = new ArrayList<>();
    emptyings.stream()
        .filter(emptying -> emptying.condition() == null && emptying.table().canTruncate())
        .map(Emptying::table)
        .distinct()
        .forEach(tables::add);
    boolean removed;
    do {
      Set<TableId> inside = new HashSet<>(tables.stream().map(TargetTable::id).toList());
      removed = tables.removeIf(table -> !inside.containsAll(table.referencedBy()));
    } while (removed);
    return tables;
  }

  private static String ids(List<TargetTable> tables) {
    return String.join(", ", tables.stream().map(table -> table.id().toString()).toList());
  }
}
