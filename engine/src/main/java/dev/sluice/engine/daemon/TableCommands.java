package dev.sluice.engine.daemon;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.TargetLimits;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.CutoverCoordinator;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.RecordFile;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.validate.continuous.PassResult;
import dev.sluice.engine.validate.continuous.Validations;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import java.time.Duration;
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
  private final ReloadAdmission admission;

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
    this.admission = new ReloadAdmission(context);
  }

  /** Lets suspended tables catch up. */
  Outcome resume(List<TableId> tables) {
    return execute(
        "catching up from their own positions, and then joining the others: " + names(tables),
        running -> {
          List<TableId> suspended =
              running.resyncs().state().suspended().stream().map(SuspendedTable::table).toList();
          TableProblems.refuse(
              tables.stream()
                  .filter(table -> !suspended.contains(table))
                  .map(table -> TableProblems.notSuspended(table, suspended))
                  .toList());
          running.resyncs().resume(tables);
        });
  }

  /** Copies tables again, including tables that the task did not follow before. */
  Outcome reload(List<TableId> tables) {
    return execute(
        "to be copied again, to catch up and then to join the others: " + names(tables),
        running -> {
          List<TableId> suspended =
              running.resyncs().state().suspended().stream().map(SuspendedTable::table).toList();
          ReloadAdmission.Admitted admitted = admission.admit(tables, suspended);
          if (admitted.followedAfterwards()) {
            running.resyncs().reload(tables);
          } else {
            running.resyncs().takeIn(tables, admitted.unknown());
          }
        });
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
    TableProblems.refuse(
        current.get().orElseThrow().resyncs().state().suspended().stream()
            .filter(suspended -> tables.contains(suspended.table()))
            .map(TableProblems::notApplied)
            .toList());
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
}
