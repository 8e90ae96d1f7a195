package dev.sluice.sink.apply.round;

import static dev.sluice.sink.apply.plan.ApplySession.attempt;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorPolicies;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.target.TargetTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Empties tables as one TRUNCATE of the source did. Stateless.
 *
 * <p>PostgreSQL truncates a table that a foreign key points to only together with the one that
 * points, in the replica role too; so all go into one statement, and what is referenced from
 * outside of it is emptied by DELETE.
 */
public final class Truncation {

  /**
   * A table to be emptied.
   *
   * @param condition null: all rows; else SQL that the rows to go fulfil
   */
  record Emptying(TargetTable table, String condition) {}

  private Truncation() {}

  /**
   * @param upTo the end of the transaction that emptied the tables, or a later one
   * @throws SluiceException.Fatal where the policy is to stop
   */
  public static void refuseWhereAsked(ErrorPolicies policies, List<Emptied> tables, Position upTo) {
    if (!policies.failOnTruncate() || tables.isEmpty()) {
      return;
    }
    throw new SluiceException.Fatal(
        new Problem(
            "table " + tables.get(0).table(),
            "was truncated on the source, in a transaction at or before " + upTo,
            "no TRUNCATE, as ErrorBehavior.ApplyErrorFailOnTruncationDdl asks",
            "Set it to false to let the target's table be truncated as well. To load"
                + " all tables again instead: sluice stop --drop, then run"));
  }

  static void apply(ApplySession session, List<Emptying> emptyings) {
    List<TargetTable> truncated = truncatable(emptyings);
    if (!truncated.isEmpty()) {
      String names = String.join(", ", truncated.stream().map(TargetTable::rows).toList());
      attempt("truncate " + ids(truncated), () -> session.execute("TRUNCATE " + names));
    }
    for (Emptying emptying : emptyings) {
      if (!truncated.contains(emptying.table())) {
        attempt(
            "empty " + emptying.table().id(),
            () ->
                session.execute(
                    "DELETE FROM "
                        + emptying.table().rows()
                        + (emptying.condition() == null
                            ? ""
                            : " WHERE (" + emptying.condition() + ")")));
      }
    }
  }

  /** The tables that can go into one TRUNCATE: nothing outside of it references them. */
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
