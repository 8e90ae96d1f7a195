package dev.sluice.engine.fallback;

import dev.sluice.config.TableId;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.task.TaskStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the old source lacks whatever its position says: tables that were suspended or copied again,
 * and a resync that had not ended. Immutable.
 *
 * @param tables whose changes in the journal are not applied
 * @param lines what may be missing, in words; empty if nothing is known to
 */
record IncompleteTables(Set<TableId> tables, List<String> lines) {
  IncompleteTables {
    tables = Set.copyOf(tables);
    lines = List.copyOf(lines);
  }

  /**
   * @param journal empty if it is given up
   */
  static IncompleteTables of(
      TaskContext context, List<TaskStep> steps, Optional<LeftInJournal> journal) {
    List<String> lines = new ArrayList<>();
    if (TaskResync.of(steps).isUnfinished()) {
      lines.add(
          "a resync has not ended: rows of any table may be missing altogether, or differ from the"
              + " new side's, whatever the position says");
    }
    List<SuspendedTable> suspended =
        new SuspendedTables(context.controlSchema(), context.task()).read(context.target());
    for (SuspendedTable table : suspended) {
      lines.add(words(table, journal.flatMap(left -> left.waiting(table))));
    }
    return new IncompleteTables(
        suspended.stream().map(SuspendedTable::table).collect(Collectors.toSet()), lines);
  }

  private static String words(SuspendedTable table, Optional<Long> waiting) {
    String state =
        "table %s is %s since %s: ".formatted(table.table(), table.state().text(), table.since());
    if (!table.rowsWhole()) {
      return state + "rows may be missing altogether, since it was emptied to be copied again";
    }
    return state
        + "it lacks its changes from %s on, and %s"
            .formatted(
                table.firstMissing(),
                waiting
                    .map(changes -> "%d of them in the journal are given up".formatted(changes))
                    .orElse("how many is not known"));
  }
}
