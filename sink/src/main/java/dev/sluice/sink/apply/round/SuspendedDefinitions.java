package dev.sluice.sink.apply.round;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.DefinitionChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Filters DDL that concerns suspended tables. A table is suspended by its name; DDL that renames it
 * must not end the suspension. Pure.
 */
public final class SuspendedDefinitions {
  private SuspendedDefinitions() {}

  /**
   * Returns the changes to apply.
   *
   * @param suspended true for a suspended source table
   * @throws SluiceException.Table if a suspended table gets a name that is not suspended
   */
  public static List<DefinitionChange> others(
      List<DefinitionChange> changes, Predicate<TableId> suspended) {
    List<DefinitionChange> others = new ArrayList<>();
    for (DefinitionChange change : changes) {
      Optional<TableId> before = change.rowsBefore().filter(suspended);
      Optional<TableId> after = change.rowsAfter();
      boolean isSkipped =
          after.isEmpty() ? before.isPresent() : after.filter(suspended).isPresent();
      if (isSkipped) {
        continue;
      }
      if (before.isPresent()) {
        throw new SluiceException.Table(
            after.get(),
            List.of(
                new Problem(
                    "source table " + after.get(),
                    "has the rows of %s, which is suspended".formatted(before.get()),
                    "a table of which the target has every row",
                    "Load it again: sluice reload")));
      }
      others.add(change);
    }
    return others;
  }

  /**
   * Checks DDL of a table that catches up. Its definition may change, but not its name: the table
   * of the other name is applied by another lane, which is ahead.
   *
   * @throws SluiceException.Table if the table is renamed, or another table gets its name
   */
  static void requireSameName(List<DefinitionChange> changes) {
    for (DefinitionChange change : changes) {
      Optional<TableId> before = change.rowsBefore();
      Optional<TableId> after = change.rowsAfter();
      if (before.isPresent() && after.isPresent() && !before.equals(after)) {
        throw new SluiceException.Table(
            after.get(),
            List.of(
                new Problem(
                    "source table " + after.get(),
                    "has the rows of %s, and one of the two was suspended".formatted(before.get()),
                    "a table that is not renamed while it catches up",
                    ("Reload %s: sluice reload. The target table of an old name that the source has no"
                            + " more stays as it is: drop it on the target, and delete its row in"
                            + " sluice_suspended_tables while the daemon is stopped")
                        .formatted(after.get()))));
      }
    }
  }
}
