package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.load.MadeTables;
import dev.sluice.load.RowGuard;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.load.target.MadeTable;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetServer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * The tables of a plan on a target that drops and creates each table at once. Immutable; used by
 * the thread that loads.
 */
record TablesMadeAtOnce(TargetServer target, MadeTables making, List<MadeTable> tables) {

  /** Reads them from the source, as the target is to have them. */
  static TablesMadeAtOnce of(LoadPlan plan, LoadRoute route, MadeTables making) {
    return new TablesMadeAtOnce(
        route.target(),
        making,
        making.of(OutlinedTables.read(route.source(), plan.names(), route.mappings())));
  }

  /** A table that is loaded again has the task's rows, whatever its other tables have. */
  static TablesMadeAtOnce of(LoadPlan plan, LoadRoute route, LoadAttempt attempt, RowGuard guard) {
    Optional<MadeTables> making =
        switch (attempt) {
          case FIRST -> MadeTables.on(route.target(), guard.owningNothing());
          case AGAIN -> MadeTables.on(route.target(), guard);
          case RELOAD -> MadeTables.again(route.target(), guard);
        };
    return of(plan, route, making.orElseThrow());
  }

  /**
   * Why they must not be made.
   *
   * @param dropped the tables that would be dropped
   */
  List<Problem> problems(List<TableId> dropped) {
    List<Problem> problems = new ArrayList<>(making.problems(dropped));
    problems.addAll(objections());
    return problems;
  }

  /** Why the target would not take them. */
  List<Problem> objections() {
    return making.objections(tables);
  }

  /** Whether a reload makes any again: one that fits, or is not the task's own, is emptied. */
  boolean areMadeAgain() {
    return tables.stream()
        .anyMatch(
            table -> !OutlinedTables.fits(table, target) && making.mayMakeAgain(table.table()));
  }

  /**
   * Makes them. The steps are planned last: an earlier attempt that still runs one of them does so
   * on the tables that are there now, or finds them gone.
   *
   * @param analyses the last steps of each table
   */
  void make(CompletionStepStore journal, List<CompletionStep> analyses, EpochFence fence) {
    making.make(tables, fence);
    List<CompletionStep> steps = new ArrayList<>(MadeTables.steps(tables));
    steps.addAll(analyses);
    journal.plan(
        tables.stream().map(MadeTable::table).toList(), EnumSet.allOf(Kind.class), steps, fence);
  }

  /** The steps of those that the task has made before. */
  List<CompletionStep> stepsOfOwn() {
    return MadeTables.steps(making.own(tables));
  }
}
