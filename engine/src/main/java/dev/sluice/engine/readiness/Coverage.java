package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.CapturedTables;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.check.ExpectedTable;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.sink.control.report.RejectedChanges;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.target.TargetChecks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Finds what the target lacks that a fence cannot show: suspended tables, rejected changes, tables
 * that are not followed, and missing definitions. Reads both sides again in each call. Used by one
 * thread.
 */
public final class Coverage {
  private final TaskContext context;
  private final TableMappings mappings;
  private final RejectedChanges rejected;

  public Coverage(TaskContext context) {
    this.context = context;
    this.mappings = context.config().tableMappings();
    this.rejected = new RejectedChanges(context.controlSchema(), context.task());
  }

  /** Reports tables that are suspended, reloaded or catching up. */
  public List<Gap> ofSuspendedTables() {
    List<SuspendedTable> suspended =
        new SuspendedTables(context.controlSchema(), context.task())
            .read(context.target()).stream()
                .filter(table -> mappings.selects(table.table()))
                .toList();
    return suspended.isEmpty()
        ? List.of()
        : List.of(
            new Gap(
                "suspended-tables",
                new Problem(
                    Counted.of(suspended.size(), "table")
                        + ": "
                        + suspended.stream()
                            .map(table -> table.table() + " (" + table.state().text() + ")")
                            .toList(),
                    "are suspended, reloaded or catching up, so the target lacks changes of them",
                    "tables that are all applied together",
                    "Bring suspended ones back with sluice resume or sluice reload, or all tables by"
                        + " difference with sluice stop, sluice resync and sluice run; sluice wait"
                        + " waits until they have joined. Or exclude them by a selection rule,"
                        + " start the daemon again, and copy them by hand")));
  }

  /** Reports rejected changes, changes that are not published, and tables that are not followed. */
  public List<Gap> ofChanges() {
    List<Gap> gaps = new ArrayList<>();
    List<TaskStep> steps = context.steps().all(context.task());
    if (TaskResync.of(steps).isUnfinished()) {
      gaps.add(new Gap("resync", resyncing()));
    }
    rejected.read(context.target()).entrySet().stream()
        .filter(entry -> mappings.selects(entry.getKey()))
        .forEach(entry -> gaps.add(new Gap("rejected-changes", rejected(entry))));
    FollowedTables followed = context.followedTables(steps);
    SourceCatalog catalog = context.source().catalog(mappings::selects);
    List<TableId> unknown = followed.newAmong(names(catalog));
    unknown.forEach(table -> gaps.add(new Gap("not-followed", notFollowed(table))));
    if (context.config().migrationType().captures()) {
      CapturedTables captured = context.source().capturedTables();
      captured.leavingOut(mappings).forEach(problem -> gaps.add(new Gap("captures-less", problem)));
      captured.lacking(catalog).stream()
          .filter(table -> catalog.table(table).filter(t -> unknown.contains(t.root())).isEmpty())
          .forEach(table -> gaps.add(new Gap("not-captured", captured.notCaptured(table))));
    }
    return gaps;
  }

  /** Reports tables, columns and sequences of the source that the target lacks. */
  public List<Gap> ofDefinitions() {
    SourceCatalog catalog = context.followed(context.steps().all(context.task()));
    TargetChecks.Findings target =
        TargetChecks.check(
            context.target(),
            List.of(context.controlSchema()),
            catalog.tables().stream()
                .map(table -> ExpectedTable.of(table, mappings, false))
                .toList());
    List<Gap> gaps = new ArrayList<>();
    target.problems().forEach(problem -> gaps.add(new Gap("target-not-writable", problem)));
    target.missingTables().forEach(problem -> gaps.add(new Gap("missing-tables", problem)));
    target.missingColumns().forEach(problem -> gaps.add(new Gap("missing-columns", problem)));
    SequenceCopy.problems(context.source().reader(), context.target(), names(catalog), mappings)
        .forEach(problem -> gaps.add(new Gap("sequences-not-settable", problem)));
    return gaps;
  }

  private static List<TableId> names(SourceCatalog catalog) {
    return catalog.tables().stream().map(CatalogTable::table).toList();
  }

  private Problem rejected(Map.Entry<TableId, Long> of) {
    return new Problem(
        "table " + of.getKey(),
        "the target rejected %s of it, which sluice_apply_exceptions lists"
            .formatted(Counted.of(of.getValue(), "change")),
        "a target that has every change",
        "Make the table equal again by difference: sluice resync TASK.yaml %s, which deletes these"
                .formatted(of.getKey())
            + " entries once every row is equal; sluice reload copies it instead. Or correct these"
            + " rows on the target, and delete their entries: "
            + rejected.forget(of.getKey()));
  }

  private Problem resyncing() {
    return new Problem(
        "task " + context.task(),
        "is being resynced: rows of the target may differ from the source's",
        "a resync that has ended",
        "Wait until the daemon's log says that the resync is done. If rows are left, the log names"
            + " their tables");
  }

  private static Problem notFollowed(TableId table) {
    return new Problem(
        "table " + table,
        "is selected, but the task does not follow it: it got its name after the task began, and"
            + " no trigger has reported it without rows and with a replica identity",
        "a target that has every selected table",
        "Add it with sluice reload, or exclude it by a selection rule and start the daemon"
            + " again");
  }
}
