package dev.sluice.engine.daemon;

import dev.sluice.config.TableId;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.suspension.ResyncRefusals;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Why a command refuses a table, and what to do instead. Pure. */
final class TableProblems {
  private TableProblems() {}

  static void refuse(List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  static Problem notApplied(SuspendedTable suspended) {
    String table = suspended.table().toString();
    boolean waits = suspended.state() == SuspensionState.SUSPENDED;
    return (waits
            ? ResyncRefusals.ofResume(suspended.table(), Optional.of(suspended))
            : Optional.<Problem>empty())
        .orElseGet(
            () ->
                new Problem(
                    "table " + table,
                    "is %s: its changes are not applied now".formatted(suspended.state().text()),
                    "a table whose changes are applied",
                    waits
                        ? "Let it catch up first: sluice resume TASK.yaml " + table
                        : "Wait until it has joined the others: sluice wait"));
  }

  static Problem notSuspended(TableId table, List<TableId> suspended) {
    return new Problem(
        "table " + table,
        "is not suspended",
        suspended.isEmpty() ? "a suspended table; there is none" : "one of " + suspended,
        nearest(table, suspended)
            .orElse(
                "Remove it from the command; to compare it and repair what differs, run sluice"
                    + " resync TASK.yaml %s; to copy it again, run sluice reload"
                        .formatted(table)));
  }

  static Problem partition(TableId table, TableId root) {
    return new Problem(
        "table " + table,
        "is a partition of " + root,
        "an ordinary table, or the root of a partitioned one",
        "Name the root: " + root);
  }

  static Problem view(TableId table) {
    return new Problem(
        "view " + table,
        "is loaded once, with the task's full load, and has no changes to catch up with",
        "a table",
        "Remove it from the command. For its present rows create it again on the target, or load"
            + " all again: sluice stop --drop forgets the task, and the next run loads its tables"
            + " and views");
  }

  static Problem gone(TableId table) {
    return new Problem(
        "table " + table,
        "is not on the source any more",
        "a table of the source",
        "If it was dropped, resume it, so that it is dropped on the target too; if it was renamed,"
            + " reload it under its new name");
  }

  static Problem unknown(TableId table, List<TableId> selected) {
    return new Problem(
        "table " + table,
        "is not a selected table of the source",
        "a table that the task follows, by its name on the source",
        nearest(table, selected).orElse("sluice status lists the tables"));
  }

  private static Optional<String> nearest(TableId table, Collection<TableId> known) {
    return NearestName.of(table.toString(), known.stream().map(TableId::toString).toList())
        .map(name -> "Did you mean \"" + name + "\"?");
  }
}
