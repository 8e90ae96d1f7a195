package dev.sluice.engine.daemon;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.check.ReloadChecks;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.TargetLimits;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.UntakenTables;
import dev.sluice.engine.cutover.CutoverCoordinator;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.RecordFile;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.validate.continuous.PassResult;
import dev.sluice.engine.validate.continuous.Validations;
import dev.sluice.load.MarkedTables;
import dev.sluice.sink.control.suspension.ResyncRefusals;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Checks commands for single tables, and passes them to the running replication. Threadsafe. */
final class TableCommands {
  private static final Polling POLLING = Polling.every(Duration.ofMillis(50));

  private final TaskContext context;
  private final PhaseTracker phases;
  private final CurrentReplication current;
  private final Supplier<Optional<CutoverCoordinator>> cutovers;

  /**
   * @param cutovers empty before the first replication
   */
  TableCommands(
      TaskContext context,
      PhaseTracker phases,
      CurrentReplication current,
      Supplier<Optional<CutoverCoordinator>> cutovers) {
    this.context = context;
    this.phases = phases;
    this.current = current;
    this.cutovers = cutovers;
  }

  /** Lets suspended tables catch up. */
  Outcome resume(List<TableId> tables) {
    return execute(
        "catching up from their own positions, and then joining the others: " + names(tables),
        running -> {
          List<TableId> suspended =
              running.resyncs().state().suspended().stream().map(SuspendedTable::table).toList();
          refuse(
              tables.stream()
                  .filter(table -> !suspended.contains(table))
                  .map(table -> notSuspended(table, suspended))
                  .toList());
          running.resyncs().resume(tables);
        });
  }

  /** Copies tables again, also tables that the task did not follow before. */
  Outcome reload(List<TableId> tables) {
    return execute(
        "to be copied again, to catch up and then to join the others: " + names(tables),
        running -> {
          List<TableId> suspended =
              running.resyncs().state().suspended().stream().map(SuspendedTable::table).toList();
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
          boolean followedAfterwards = context.lastingTables(steps).newAmong(tables).isEmpty();
          if (followedAfterwards) {
            running.resyncs().reload(tables);
          } else {
            running.resyncs().takeIn(tables, unknown);
          }
        });
  }

  /**
   * Refuses tables whose changes the task could not follow. A suspended table may have become one
   * by the statement that suspended it. One that is followed may be locked by others now, and is
   * judged by the reload, which waits.
   */
  private void requireFollowable(List<TableId> tables) {
    if (!tables.isEmpty()) {
      refuse(
          context.source().checks().problemsOf(context.config().tableMappings(), tables::contains));
    }
  }

  /** Repairs the rows that the validation has listed. */
  Outcome repair(List<TableId> tables, boolean deleteExtra) throws InterruptedException {
    Optional<Problem> refused = context.notCorrectable();
    if (refused.isPresent()) {
      return new Outcome(false, 0, refused.get().toString(), List.of());
    }
    return whileNoCutoverRuns(
        "nothing can be repaired",
        validations -> {
          List<String> done = validations.repair(tables, deleteExtra);
          boolean all = done.stream().noneMatch(line -> line.contains(" left: "));
          return new Outcome(
              all,
              0,
              done.isEmpty()
                  ? "no row is listed as different"
                  : all ? "repaired; the next session proves it" : "not everything is repaired:",
              done);
        });
  }

  /** Reads tables on both sides once; waits for the result. */
  Outcome validate(List<TableId> tables, Optional<UUID> record) throws InterruptedException {
    Optional<Problem> refused =
        context
            .notComparable()
            .or(
                () ->
                    TargetLimits.ofSettings(
                        context.target().dialect(),
                        context.live().snapshot().running().inEffect()));
    if (refused.isPresent()) {
      return new Outcome(false, 0, refused.get().toString(), List.of());
    }
    return whileApplied(
        "it cannot be compared beside traffic",
        validations -> {
          PassResult result =
              validations.pass(
                  tables, record.map(id -> RecordFile.of(context.config().dataDir(), id)));
          return Outcome.of(endingOf(result), 0, "", result.lines());
        });
  }

  /** Reads tables on both sides and repairs what differs; waits for the result. */
  Outcome resync(List<TableId> tables, boolean deleteExtra) throws InterruptedException {
    Optional<Problem> refused = context.notCorrectable();
    if (refused.isPresent()) {
      return new Outcome(false, 0, refused.get().toString(), List.of());
    }
    return whileNoCutoverRuns(
        "its tables cannot be compared",
        validations -> {
          requireApplied(tables);
          PassResult result = validations.resync(tables, deleteExtra);
          return Outcome.of(
              endingOf(result),
              0,
              Counted.of(result.repaired(), "row") + " repaired",
              result.lines());
        });
  }

  private static Ending endingOf(PassResult result) {
    return switch (result.verdict()) {
      case EQUAL -> Ending.DONE;
      case NOT_EQUAL -> Ending.FAILED;
      case NOT_PROVEN -> Ending.UNDECIDED;
    };
  }

  private void requireApplied(List<TableId> tables) {
    refuse(
        current.get().orElseThrow().resyncs().state().suspended().stream()
            .filter(suspended -> tables.contains(suspended.table()))
            .map(TableCommands::notApplied)
            .toList());
  }

  private static Problem notApplied(SuspendedTable suspended) {
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

  /** Work of the validation of a running replication. */
  private interface Validating {
    Outcome with(Validations validations) throws InterruptedException;
  }

  /** Work that writes rows. No cutover begins before it has ended. */
  private Outcome whileNoCutoverRuns(String otherwise, Validating work)
      throws InterruptedException {
    Optional<CutoverCoordinator> coordinator = cutovers.get();
    if (coordinator.isEmpty()) {
      return whileApplied(otherwise, work);
    }
    return coordinator
        .get()
        .whileNoneRuns(() -> whileApplied(otherwise, work))
        .orElseGet(
            () ->
                refused(
                    phases.phase() == Phase.CUT_OVER
                        ? "the task is cut over: " + otherwise
                        : "a cutover is running: " + otherwise));
  }

  private Outcome whileApplied(String otherwise, Validating work) throws InterruptedException {
    Optional<Replication> running = current.get();
    if (phases.phase() == Phase.CUT_OVER || running.isEmpty()) {
      return refused(
          "the task is in phase %s and applies no changes: %s"
              .formatted(phases.phase().text(), otherwise));
    }
    try {
      return work.with(running.get().validations());
    } catch (SluiceException e) {
      return failed(e);
    }
  }

  /**
   * Waits until no table is reloading or catching up.
   *
   * @return the tables that are suspended, or still reloading or catching up after the timeout
   */
  List<SuspendedTable> awaitResyncs(Duration timeout) throws InterruptedException {
    return POLLING
        .until(
            timeout,
            () -> current.get().map(running -> running.resyncs().state().suspended()),
            suspended ->
                suspended.isPresent() && suspended.get().stream().allMatch(TableCommands::rests))
        .orElse(List.of());
  }

  private static boolean rests(SuspendedTable table) {
    return table.state() == SuspensionState.SUSPENDED;
  }

  private static String names(List<TableId> tables) {
    return tables.stream().map(TableId::toString).collect(Collectors.joining(", "));
  }

  private Outcome execute(String done, Consumer<Replication> work) {
    Phase phase = phases.phase();
    Optional<Replication> running = current.get();
    if (phase == Phase.CUTTING_OVER || phase == Phase.CUT_OVER) {
      return refused(
          "the task is in phase %s: tables cannot be resumed or reloaded".formatted(phase.text()));
    }
    if (!phase.applies() || running.isEmpty() || cutovers.get().isEmpty()) {
      return refused(
          "the task is in phase %s and applies no changes; try again when it is catching-up"
                  .formatted(phase.text())
              + " or replicating");
    }
    try {
      Optional<Boolean> taken =
          cutovers
              .get()
              .get()
              .whileNoneRuns(
                  () -> {
                    work.accept(running.get());
                    return true;
                  });
      return taken.isPresent()
          ? new Outcome(true, 0, done, List.of())
          : refused("a cutover is running: tables cannot be resumed or reloaded");
    } catch (SluiceException e) {
      return failed(e);
    }
  }

  private static Outcome failed(SluiceException failure) {
    List<String> problems =
        failure instanceof SluiceException.Fatal fatal
            ? fatal.problems().stream().map(Problem::toString).toList()
            : List.of();
    return problems.isEmpty()
        ? refused("the command failed: " + failure.getMessage())
        : new Outcome(false, 0, "nothing is changed:", problems);
  }

  private static Outcome refused(String why) {
    return new Outcome(false, 0, why, List.of());
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
        problems.add(view(table));
      } else if (!selected.contains(table)) {
        Optional<TableId> root =
            catalog.table(table).filter(CatalogTable::isPartition).map(CatalogTable::root);
        problems.add(
            root.map(parent -> partition(table, parent))
                .orElseGet(
                    () -> suspended.contains(table) ? gone(table) : unknown(table, selected)));
      }
    }
    refuse(problems);
  }

  /** Refuses tables that this task has not loaded and that hold rows on the target. */
  private void requireOwnRows(List<TableId> tables) {
    if (tables.isEmpty()) {
      return;
    }
    List<TableId> targets = targetsOf(tables);
    CutoverMemory.requireNone(context.target(), targets);
    refuse(MarkedTables.anothers(context.target(), context.rowGuard(table -> false), targets));
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

  private static void refuse(List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  private static Problem notSuspended(TableId table, List<TableId> suspended) {
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

  private static Problem partition(TableId table, TableId root) {
    return new Problem(
        "table " + table,
        "is a partition of " + root,
        "an ordinary table, or the root of a partitioned one",
        "Name the root: " + root);
  }

  private static Problem view(TableId table) {
    return new Problem(
        "view " + table,
        "is loaded once, with the task's full load, and has no changes to catch up with",
        "a table",
        "Remove it from the command. For its present rows create it again on the target, or load"
            + " all again: sluice stop --drop forgets the task, and the next run loads its tables"
            + " and views");
  }

  private static Problem gone(TableId table) {
    return new Problem(
        "table " + table,
        "is not on the source any more",
        "a table of the source",
        "If it was dropped, resume it, so that it is dropped on the target too; if it was renamed,"
            + " reload it under its new name");
  }

  private static Problem unknown(TableId table, List<TableId> selected) {
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
