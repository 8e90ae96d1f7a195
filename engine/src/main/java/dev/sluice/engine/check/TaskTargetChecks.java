package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.CutoverRecord;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.TableDifference;
import dev.sluice.engine.context.TargetLimits;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.load.MadeTables;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.target.ColumnFit;
import dev.sluice.sink.target.LoaderRights;
import dev.sluice.sink.target.SubscribedTables;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetLimit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks the target before a task runs. Used once, by one thread. */
final class TaskTargetChecks {
  private final TaskContext context;
  private final List<TaskStep> steps;
  private final TableDifference difference;
  private final boolean loads;
  private final boolean begins;
  private final CheckReport found;

  /**
   * @param plan how the task continues
   * @param found receives what is found, after earlier findings
   */
  TaskTargetChecks(
      TaskContext context,
      List<TaskStep> steps,
      TableDifference difference,
      StartPlan plan,
      CheckReport found) {
    this.context = context;
    this.steps = steps;
    this.difference = difference;
    this.loads = plan == StartPlan.LOAD;
    this.begins = loads || plan == StartPlan.FOLLOW;
    this.found = found;
  }

  /**
   * Runs the checks of the target.
   *
   * @param carried tables of the source, and views that are loaded into tables
   * @param withPartitions the same with the partitions of the tables
   */
  void run(List<CatalogTable> carried, List<CatalogTable> withPartitions) {
    context.target().dialect().untried().ifPresent(found::note);
    boolean creates = loads && LoadTargetChecks.createsTables(context);
    List<TargetChecks.Expected> expected = new ArrayList<>();
    List<SluiceException> unread = new ArrayList<>();
    Set<TableId> suspended = suspended(unread);
    for (CatalogTable table : carried) {
      if (suspended.contains(table.table())) {
        continue;
      }
      expected.add(ExpectedTable.of(table, context.config().tableMappings(), creates));
    }
    TargetChecks.Findings ofTarget =
        TargetChecks.check(
            context.target(),
            context.config().migrationType().captures()
                    && !context.target().dialect().limits().contains(TargetLimit.CUTOVERS)
                ? List.of(context.controlSchema(), CutoverRecord.SCHEMA)
                : List.of(context.controlSchema()),
            expected);
    unread.forEach(found::unread);
    ofTarget.failure().ifPresent(found::unread);
    found.problems(ofTarget.problems());
    found.differences(ofTarget.missingTables(), difference == TableDifference.MAY_WAIT_IN_THE_LOG);
    found.differences(ofTarget.missingColumns(), difference != TableDifference.IS_A_PROBLEM);
    context
        .target()
        .dialect()
        .columnFit()
        .ifPresentOrElse(
            fit -> fits(fit, expected.stream().filter(table -> !table.created()).toList()),
            () -> types(expected, creates));
    List<Problem> limits =
        TaskLimitChecks.problems(context.config(), context.target().dialect(), carried);
    found.problems(limits);
    if (creates && !MadeTables.areOf(context.target().dialect())) {
      TargetLimits.problem(
              context.target().dialect(),
              TargetLimit.MADE_TABLES,
              "setting TargetTablePrepMode DROP_AND_CREATE",
              "Create the tables on the target by hand, then set TRUNCATE_BEFORE_LOAD or DO_NOTHING")
          .map(List::of)
          .ifPresent(found::problems);
    }
    if (!ofTarget.isReachable()) {
      return;
    }
    unread.forEach(failure -> found.failure("the suspended tables", failure));
    LoaderRights.warning(context.target()).ifPresent(found::note);
    found.notes(TargetChecks.notes(context.target()));
    SubscribedTables.warnings(
            context.target(),
            withPartitions.stream()
                .map(table -> context.config().tableMappings().targetOf(table.table()))
                .toList())
        .forEach(found::note);
    requireOtherTables(carried);
    boolean cutOver = begins && wasCutOver(withPartitions);
    if (loads) {
      new LoadTargetChecks(context, steps, found)
          .run(carried, withPartitions, cutOver, limits.isEmpty());
    }
  }

  /** Judges the columns that are there; what is missing was found before. */
  private void fits(ColumnFit fit, List<TargetChecks.Expected> expected) {
    try {
      FitChecks fits = FitChecks.of(fit, context.target(), expected);
      found.differences(fits.problems(), difference == TableDifference.MAY_WAIT_IN_THE_LOG);
      found.notes(fits.notes());
    } catch (SluiceException e) {
      found.failureUnlessNamed("the columns' types", e);
    }
  }

  private void types(List<TargetChecks.Expected> expected, boolean created) {
    Map<TableId, TableId> targets = new LinkedHashMap<>();
    expected.forEach(table -> targets.put(table.source(), table.target()));
    try {
      TypeChecks.Findings types =
          TypeChecks.check(
              context.source().reader(),
              context.target(),
              targets,
              context.config().tableMappings(),
              created);
      found.differences(types.problems(), difference == TableDifference.MAY_WAIT_IN_THE_LOG);
      found.notes(types.notes());
    } catch (SluiceException e) {
      found.failureUnlessNamed("the columns' types", e);
    }
  }

  /**
   * The suspended tables, which are not checked.
   *
   * @param unread receives why they cannot be read; an unreachable target is reported elsewhere
   */
  private Set<TableId> suspended(List<SluiceException> unread) {
    Set<TableId> tables = new HashSet<>();
    try {
      for (SuspendedTable table :
          new SuspendedTables(context.controlSchema(), context.task()).read(context.target())) {
        tables.add(table.table());
        found.note(
            "table %s is %s since %s: its changes from %s on are not applied: %s"
                .formatted(
                    table.table(),
                    table.state().text(),
                    table.since(),
                    table.firstMissing(),
                    table.reason()));
      }
    } catch (SluiceException e) {
      unread.add(e);
    }
    return tables;
  }

  /**
   * Before the first row of a load, or the first change: whether a task was cut over to these
   * tables. True also if that cannot be read.
   */
  private boolean wasCutOver(List<CatalogTable> carried) {
    try {
      List<Problem> problems =
          CutoverMemory.problems(
              context,
              carried.stream()
                  .map(table -> context.config().tableMappings().targetOf(table.table()))
                  .toList());
      found.problems(problems);
      return !problems.isEmpty();
    } catch (SluiceException e) {
      found.failure("target " + context.config().target(), e);
      return true;
    }
  }

  /** Target tables that are also source tables. */
  private void requireOtherTables(List<CatalogTable> carried) {
    try {
      SelfTarget.check(found, context, carried.stream().map(CatalogTable::table).toList());
    } catch (SluiceException e) {
      found.failure("whether source and target are one database", e);
    }
  }
}
