package dev.sluice.engine.command.display;

import dev.sluice.config.Counted;
import dev.sluice.engine.status.CompletionStatus;
import dev.sluice.engine.status.SuspendedStatus;
import dev.sluice.engine.status.TableStatus;
import dev.sluice.engine.status.TaskStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the part of a status page about tables. */
final class TablesText {
  private final TaskStatus status;
  private final StatusLines lines;

  TablesText(TaskStatus status, StatusLines lines) {
    this.status = status;
    this.lines = lines;
  }

  /** Adds the progress of the tables' indexes and constraints; running and failed ones by name. */
  void completion() {
    List<CompletionStatus> steps = status.completion();
    if (steps.isEmpty()) {
      return;
    }
    int done = 0;
    double seconds = 0;
    List<CompletionStatus> named = new ArrayList<>();
    for (CompletionStatus step : steps) {
      switch (step.state()) {
        case "done" -> {
          done++;
          seconds += step.seconds();
        }
        case "waiting" -> {}
        default -> named.add(step);
      }
    }
    lines.add(
        "tables",
        "%,d of %,d indexes, constraints and the like done, in %,.1f s of work",
        done,
        steps.size(),
        seconds);
    for (CompletionStatus step : named) {
      lines.add(
          "",
          "%s: %s %s, %.1f s%s",
          step.state(),
          step.kind(),
          step.name(),
          step.seconds(),
          step.detail() == null ? "" : ": " + step.detail());
    }
  }

  /** Adds truncated values, rejected changes, and tables that are not applied with the others. */
  void exceptions() {
    for (TableStatus table : status.tables()) {
      long cut = table.valuesCut();
      if (cut > 0) {
        lines.add(
            "cut",
            "%s of %s, as LimitedSizeLobMode or its lob-settings ask",
            Counted.of(cut, "value"),
            nameOf(table));
      }
    }
    long conflicts = 0;
    for (TableStatus table : status.tables()) {
      conflicts += table.conflicts();
    }
    if (conflicts > 0) {
      lines.add("rejected", "%s, see sluice_apply_exceptions", Counted.of(conflicts, "change"));
    }
    for (SuspendedStatus table : status.suspended()) {
      suspended(table);
    }
  }

  private void suspended(SuspendedStatus table) {
    String name = table.schema() + "." + table.table();
    Instant since = table.since();
    String reason = table.reason();
    String kept =
        String.format(Locale.ROOT, "the journal is kept from offset %,d", table.journalOffset());
    switch (table.state()) {
      case "reloading" ->
          lines.add(
              "reloading",
              " %s: %s; %s for it (since %s: %s)",
              name,
              table.rowsCopied() == null
                  ? "not begun"
                  : Counted.of(table.rowsCopied(), "row") + " copied",
              kept,
              since,
              reason);
      case "catching-up" ->
          lines.add(
              "catches up",
              " %s: at %s, behind the others by %,d journal records%s (since %s: %s)",
              name,
              table.position(),
              table.behindRecords(),
              table.behindSeconds() != null
                  ? String.format(Locale.ROOT, ", %.1f s", table.behindSeconds())
                  : "",
              since,
              reason);
      default ->
          lines.add(
              "suspended",
              " %s since %s, from %s on; %s for it: %s%s",
              name,
              since,
              table.firstMissing(),
              kept,
              reason,
              table.rowsWhole()
                  ? ""
                  : "; its rows are not complete: sluice resync makes the task equal again, sluice reload copies the table");
    }
  }

  /**
   * Adds counts since the daemon's start: earlier ones are stored on the target only if a setting
   * says so.
   */
  void counts() {
    lines.add(
        "counts",
        "of changes are those since the daemon's start at %s",
        status.started() == null ? "-" : status.started());
    lines.addRow(
        "%n%-40s %-23s %12s %12s %12s %12s %12s",
        "table", "state", "loaded", "inserts", "updates", "deletes", "applied");
    for (TableStatus table : status.tables()) {
      lines.addRow(
          "%-40s %-23s %,12d %,12d %,12d %,12d %,12d",
          nameOf(table),
          table.state(),
          table.fullLoadRows(),
          table.inserts(),
          table.updates(),
          table.deletes(),
          table.appliedInserts() + table.appliedUpdates() + table.appliedDeletes());
    }
  }

  private static String nameOf(TableStatus table) {
    return table.schema() + "." + table.table();
  }
}
