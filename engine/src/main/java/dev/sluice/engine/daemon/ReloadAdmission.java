package dev.sluice.engine.daemon;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.check.ReloadChecks;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.UntakenTables;
import dev.sluice.load.MarkedTables;
import dev.sluice.sink.control.task.TaskStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides whether tables may be copied again: it asks source and target. Threadsafe. */
final class ReloadAdmission {
  private final TaskContext context;

  ReloadAdmission(TaskContext context) {
    this.context = context;
  }

  /**
   * What may be copied.
   *
   * @param unknown those that the task has not followed before
   * @param followedAfterwards whether the task follows all of them in any case
   */
  record Admitted(List<TableId> unknown, boolean followedAfterwards) {}

  /**
   * Admits the tables.
   *
   * @param suspended all tables that are suspended
   * @throws SluiceException.Fatal with why one may not be copied again
   */
  Admitted admit(List<TableId> tables, List<TableId> suspended) {
    requireSelected(tables, suspended);
    List<TaskStep> steps = context.steps().all(context.task());
    List<TableId> unknown = context.followedTables(steps).newAmong(tables);
    requireFollowable(
        tables.stream()
            .filter(table -> unknown.contains(table) || suspended.contains(table))
            .toList());
    requireNoRows(
        UntakenTables.among(
            context, tables.stream().filter(table -> !unknown.contains(table)).toList()));
    requireOwnRows(unknown);
    return new Admitted(unknown, context.lastingTables(steps).newAmong(tables).isEmpty());
  }

  /**
   * Refuses tables whose changes the task could not follow. A suspended table may have become one
   * by the statement that suspended it. One that is followed may be locked by others now, and is
   * judged by the reload, which waits.
   */
  private void requireFollowable(List<TableId> tables) {
    if (!tables.isEmpty()) {
      TableProblems.refuse(
          context.source().checks().problemsOf(context.config().tableMappings(), tables::contains));
    }
  }

  /** Refuses tables that the task cannot follow, or that its source has not. */
  private void requireSelected(List<TableId> tables, List<TableId> suspended) {
    SourceCatalog catalog = context.source().catalog(context.config().tableMappings()::selects);
    List<TableId> selected = catalog.tables().stream().map(CatalogTable::table).toList();
    List<TableId> views =
        context.source().views(context.config().tableMappings()).stream()
            .map(CatalogTable::table)
            .toList();
    List<Problem> problems = new ArrayList<>();
    for (TableId table : tables) {
      if (views.contains(table)) {
        problems.add(TableProblems.view(table));
      } else if (!selected.contains(table)) {
        Optional<TableId> root =
            catalog.table(table).filter(CatalogTable::isPartition).map(CatalogTable::root);
        problems.add(
            root.map(parent -> TableProblems.partition(table, parent))
                .orElseGet(
                    () ->
                        suspended.contains(table)
                            ? TableProblems.gone(table)
                            : TableProblems.unknown(table, selected)));
      }
    }
    TableProblems.refuse(problems);
  }

  /** Refuses tables that this task has not loaded and that hold rows on the target. */
  private void requireOwnRows(List<TableId> tables) {
    if (tables.isEmpty()) {
      return;
    }
    List<TableId> targets = targetsOf(tables);
    CutoverMemory.requireNone(context.target(), targets);
    TableProblems.refuse(
        MarkedTables.anothers(context.target(), context.rowGuard(table -> false), targets));
    ReloadChecks.requireNoRows(context, targets);
  }

  /** Refuses tables in whose place others have rows. */
  private void requireNoRows(List<TableId> tables) {
    if (!tables.isEmpty()) {
      ReloadChecks.requireNoRows(context, targetsOf(tables));
    }
  }

  private List<TableId> targetsOf(List<TableId> tables) {
    return tables.stream().map(context.config().tableMappings()::targetOf).toList();
  }
}
