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
 * What suspended tables make of DDL. A suspension is of the name under which rows come; DDL can
 * give them another one, and with it the suspension must not end. Pure.
 */
public final class SuspendedDefinitions {
  private SuspendedDefinitions() {}

  /**
   * The changes that are to be done.
   *
   * @param suspended asked with names under which rows come
   * @throws SluiceException.Table where rows of a suspended table come under a name from here on
   *     that is not suspended
   */
  public static List<DefinitionChange> others(
      List<DefinitionChange> changes, Predicate<TableId> suspended) {
    List<DefinitionChange> others = new ArrayList<>();
    for (DefinitionChange change : changes) {
      Optional<TableId> before = change.rowsBefore().filter(suspended);
      Optional<TableId> after = change.rowsAfter();
      boolean isPassedOver =
          after.isEmpty() ? before.isPresent() : after.filter(suspended).isPresent();
      if (isPassedOver) {
        continue;
      }
      if (before.isPresent()) {
        throw new SluiceException.Table(
            after.get(),
            List.of(
                new Problem(
                    "source table " + after.get(),
                    "has rows that came as those of %s, which is suspended".formatted(before.get()),
                    "a table of which the target has every row",
                    "Load it again")));
      }
      others.add(change);
    }
    return others;
  }

  /**
   * What is left to a table that catches up by itself: its own definition may change, but rows that
   * came under one name cannot come under another one then, since the other name's table is applied
   * with the others, which are ahead.
   *
   * @throws SluiceException.Table where rows of the table get another name, or rows of another
   *     table its name
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
                    "has rows that came as those of %s, while one of the two was passed over"
                        .formatted(before.get()),
                    "a table whose rows kept their name while it caught up",
                    ("Reload %s: sluice reload. A table that is not on the source any more under its"
                            + " old name is left on the target as it is: drop it there, and delete"
                            + " its row in sluice_suspended_tables while the daemon is stopped")
                        .formatted(after.get()))));
      }
    }
  }
}
