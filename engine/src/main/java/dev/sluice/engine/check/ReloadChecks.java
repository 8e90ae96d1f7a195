package dev.sluice.engine.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.OutlinedTables;
import dev.sluice.load.MadeTables;
import dev.sluice.load.MarkedTables;
import dev.sluice.load.RowGuard;
import dev.sluice.load.target.MadeTable;
import dev.sluice.sink.target.ColumnFit;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks the tables of a reload: their changes on the source must be replicable, and their values
 * must fit the target. Both the existing target table and the one that replaces it are checked
 * before any row is deleted. Stateless.
 */
public final class ReloadChecks {
  private ReloadChecks() {}

  /**
   * Called before the reload records or changes anything, with the snapshot open. Everything in the
   * log about the table up to the snapshot is skipped, even a statement after which its changes
   * cannot be followed, so the source is checked here. Event triggers report to the capture, and
   * need no check here.
   *
   * @throws SluiceException.Fatal naming all that does not fit
   * @throws SluiceException.Retryable if the target cannot be reached
   */
  public static void requireBefore(TaskContext context, TableId table) {
    if (context.source().ddlReporting().followed().isEmpty()) {
      refuse(context.source().checks().problemsOf(context.config().tableMappings(), table::equals));
    }
    Optional<ColumnFit> fit = context.target().dialect().columnFit();
    if (fit.isPresent()) {
      refuse(ofFit(context, table, fit.get()));
    } else if (!makesTables(context)) {
      refuse(ofTypes(context, table));
    }
  }

  /**
   * Called when a table is added to the task, and again before its first load, since the wait for
   * its snapshot may have been long.
   *
   * @param targets the tables that the load empties or drops, with their partitions
   * @throws SluiceException.Fatal if others have rows in one of them
   */
  public static void requireNoRows(TaskContext context, List<TableId> targets) {
    try (TargetConnection connection = context.target().borrow()) {
      refuse(
          context
              .rowGuard(any -> false)
              .problem(connection, targets, PrepMode.TRUNCATE_BEFORE_LOAD)
              .stream()
              .toList());
    }
  }

  /**
   * Called when the target table is prepared, and maybe was created.
   *
   * @throws SluiceException.Fatal naming all that does not fit
   */
  public static void requirePrepared(TaskContext context, TableId table) {
    if (context.target().dialect().columnFit().isEmpty() && makesTables(context)) {
      refuse(ofTypes(context, table));
    }
  }

  private static boolean makesTables(TaskContext context) {
    return context.config().taskSettings().get(FullLoadSettings.TARGET_TABLE_PREP_MODE)
        == PrepMode.DROP_AND_CREATE;
  }

  /** A table that the source no longer has is reported by the load. */
  private static List<Problem> ofFit(TaskContext context, TableId table, ColumnFit fit) {
    Optional<CatalogTable> there = context.source().catalog(table::equals).table(table);
    if (there.isEmpty()) {
      return List.of();
    }
    TableMappings mappings = context.config().tableMappings();
    RowGuard guard = context.rowGuard(any -> true);
    List<Problem> problems =
        new ArrayList<>(
            TaskLimitChecks.problems(
                context.config(), context.target().dialect(), List.of(there.get())));
    problems.addAll(
        MarkedTables.anothers(context.target(), guard, List.of(mappings.targetOf(table))));
    if (!problems.isEmpty()) {
      return problems;
    }
    Optional<MadeTables> making =
        makesTables(context) ? MadeTables.again(context.target(), guard) : Optional.empty();
    List<MadeTable> again = making.map(made -> madeAgain(context, table, made)).orElse(List.of());
    List<TargetChecks.Expected> expected =
        List.of(ExpectedTable.of(there.get(), mappings, !again.isEmpty()));
    TargetChecks.Findings found = TargetChecks.check(context.target(), List.of(), expected);
    if (!found.isReachable()) {
      throw new SluiceException.Retryable(
          "the target table of %s cannot be judged: %s".formatted(table, found.problems()), null);
    }
    problems.addAll(found.all());
    if (again.isEmpty()) {
      problems.addAll(FitChecks.of(fit, context.target(), expected).problems());
    } else {
      problems.addAll(TargetChecks.ofTableToDrop(context.target(), mappings.targetOf(table)));
      problems.addAll(making.get().problems(List.of(mappings.targetOf(table))));
      problems.addAll(making.get().objections(again));
    }
    return problems.stream().distinct().toList();
  }

  /** How the table is created again; empty if only its rows are deleted. */
  private static List<MadeTable> madeAgain(TaskContext context, TableId table, MadeTables making) {
    return making
        .of(
            OutlinedTables.read(
                context.source().reader(), List.of(table), context.config().tableMappings()))
        .stream()
        .filter(made -> making.mayMakeAgain(made.table()))
        .filter(made -> !OutlinedTables.fits(made, context.target()))
        .toList();
  }

  private static List<Problem> ofTypes(TaskContext context, TableId table) {
    TableMappings mappings = context.config().tableMappings();
    return TypeChecks.check(
            context.source().reader(),
            context.target(),
            Map.of(table, mappings.targetOf(table)),
            mappings,
            false)
        .problems();
  }

  private static void refuse(List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }
}
