package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.OutlinedTables;
import dev.sluice.load.MadeTables;
import dev.sluice.load.MarkedTables;
import dev.sluice.load.PreparationLocks;
import dev.sluice.load.RowGuard;
import dev.sluice.load.target.MadeTable;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.target.TargetConnection;
import java.util.List;

/**
 * Checks what a load would do to the target's tables: drop, delete or overwrite what is not the
 * task's own, or run code of the source there. Used once, by one thread.
 */
final class LoadTargetChecks {
  private final TaskContext context;
  private final List<TaskStep> steps;
  private final CheckReport found;

  /**
   * @param found receives what is found, after earlier findings
   */
  LoadTargetChecks(TaskContext context, List<TaskStep> steps, CheckReport found) {
    this.context = context;
    this.steps = steps;
    this.found = found;
  }

  /** Whether a load of the task creates the tables. */
  static boolean createsTables(TaskContext context) {
    return mode(context) == PrepMode.DROP_AND_CREATE;
  }

  private static PrepMode mode(TaskContext context) {
    return context.config().taskSettings().get(FullLoadSettings.TARGET_TABLE_PREP_MODE);
  }

  /**
   * Runs the checks. How rows may be overwritten is said only once an earlier cutover is forgotten:
   * following both fixes at once would lose what the applications have written since.
   *
   * @param carried tables of the source, and views that are loaded into tables
   * @param withPartitions the same with the partitions of the tables
   * @param cutOver whether a task was cut over to the tables
   * @param fit whether the target takes tables like these
   */
  void run(
      List<CatalogTable> carried, List<CatalogTable> withPartitions, boolean cutOver, boolean fit) {
    boolean creates = createsTables(context);
    if (creates && MadeTables.areOf(context.target().dialect())) {
      if (fit && !cutOver) {
        requireMadeTables(carried);
      }
      return;
    }
    if (!cutOver) {
      requireOwnRows(withPartitions);
    }
    if (creates && !context.config().runsSourceCode()) {
      requireNoCode(carried);
    }
  }

  /** Rows that would be dropped, deleted or mixed with loaded rows. */
  private void requireOwnRows(List<CatalogTable> carried) {
    TableMappings mappings = context.config().tableMappings();
    List<TableId> tables = carried.stream().map(table -> mappings.targetOf(table.table())).toList();
    RowGuard guard = PreparedTables.of(steps).guard(context);
    try (TargetConnection connection = context.target().borrow()) {
      found.problems(MarkedTables.anothers(context.target(), guard, tables));
      found.problems(guard.problem(connection, tables, mode(context)).stream().toList());
      found.problems(
          PreparationLocks.problem(connection, tables, mode(context), guard.own()).stream()
              .toList());
    } catch (SluiceException e) {
      found.failure("target " + context.config().target(), e);
    }
  }

  /**
   * Where each table is dropped and created at once: what would be dropped, what the target does
   * not take, and what is left out.
   */
  private void requireMadeTables(List<CatalogTable> carried) {
    try {
      MadeTables making =
          MadeTables.on(context.target(), PreparedTables.of(steps).guard(context)).orElseThrow();
      List<MadeTable> tables =
          making.of(
              OutlinedTables.read(
                  context.source().reader(),
                  carried.stream().map(CatalogTable::table).toList(),
                  context.config().tableMappings()));
      found.problems(making.problems(tables.stream().map(MadeTable::table).toList()));
      found.problems(making.objections(tables));
      for (MadeTable table : tables) {
        table
            .leftOut()
            .forEach(
                left -> found.note("not made with table %s: %s".formatted(table.table(), left)));
      }
    } catch (SluiceException e) {
      found.failure("the tables to be made on " + context.config().target(), e);
    }
  }

  /** Code of the source that would run as the target's user. */
  private void requireNoCode(List<CatalogTable> carried) {
    try {
      found.problems(
          context
              .source()
              .reader()
              .codeThatNeedsConsent(carried.stream().map(CatalogTable::table).toList()));
    } catch (SluiceException e) {
      found.failure("the functions that the source's tables use", e);
    }
  }
}
