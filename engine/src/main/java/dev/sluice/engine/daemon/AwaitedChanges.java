package dev.sluice.engine.daemon;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.readiness.Coverage;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Waits until all that was committed before is on the target, or tells what is not. Threadsafe. */
final class AwaitedChanges {
  private static final Polling POLLING = Polling.every(Duration.ofMillis(50));

  private final TaskContext context;
  private final PhaseTracker phases;
  private final StopRequest stop;
  private final Fences fences;
  private final TableCommands tables;
  private final CutoverCommands cutovers;

  AwaitedChanges(
      TaskContext context,
      PhaseTracker phases,
      StopRequest stop,
      Fences fences,
      TableCommands tables,
      CutoverCommands cutovers) {
    this.context = context;
    this.phases = phases;
    this.stop = stop;
    this.fences = fences;
    this.tables = tables;
    this.cutovers = cutovers;
  }

  /**
   * @param exceptSuspended whether it succeeds with suspended tables, which the message lists
   */
  Outcome await(Duration timeout, boolean exceptSuspended) throws InterruptedException {
    long begun = System.nanoTime();
    if (phases.phase() == Phase.CUT_OVER) {
      return cutovers.afterCutover();
    }
    if (!context.config().migrationType().captures()) {
      return awaitLoad(begun, timeout);
    }
    Optional<Problem> notFenced = context.source().notFenced();
    if (notFenced.isPresent()) {
      return new Outcome(false, 0, notFenced.get().toString(), List.of());
    }
    Optional<String> missing = fences.pass(timeout).missing();
    double seconds = since(begun).toMillis() / 1000.0;
    Optional<String> ended = phases.end();
    if (missing.isPresent() && ended.isPresent()) {
      return new Outcome(false, seconds, "not applied: " + ended.get(), List.of());
    }
    if (missing.isPresent()) {
      return new Outcome(
          false,
          seconds,
          "not applied within %d s; phase %s, %s"
              .formatted(timeout.toSeconds(), phases.phase().text(), missing.get()),
          List.of());
    }
    List<SuspendedTable> suspended = tables.awaitResyncs(timeout.minus(since(begun)));
    List<Problem> others;
    try {
      others = Gap.problems(new Coverage(context).ofChanges());
    } catch (SluiceException e) {
      return new Outcome(
          false,
          0,
          "it cannot be checked whether all tables are followed: " + e.getMessage(),
          List.of());
    }
    return covered(begun, suspended, others, exceptSuspended);
  }

  private Outcome covered(
      long begun, List<SuspendedTable> suspended, List<Problem> others, boolean exceptSuspended) {
    double seconds = since(begun).toMillis() / 1000.0;
    StringBuilder message = new StringBuilder("applied: all that was committed before the call");
    boolean returning =
        suspended.stream().anyMatch(table -> table.state() != SuspensionState.SUSPENDED);
    if (!suspended.isEmpty()) {
      message.append(
          ", except for changes of %d suspended tables: %s"
              .formatted(
                  suspended.size(),
                  suspended.stream()
                      .map(
                          table ->
                              table.state() == SuspensionState.SUSPENDED
                                  ? table.table().toString()
                                  : table.table() + " (" + table.state().text() + ")")
                      .toList()));
    }
    if (!others.isEmpty()) {
      message.append(", except for rejected changes and tables that the task does not follow:");
    }
    Ending ending =
        returning
            ? Ending.FAILED
            : others.isEmpty() && (suspended.isEmpty() || exceptSuspended)
                ? Ending.DONE
                : Ending.NOT_COVERED;
    return Outcome.of(
        ending, seconds, message.toString(), others.stream().map(Problem::toString).toList());
  }

  /** For a task without changes, waits until its load is done. */
  private Outcome awaitLoad(long begun, Duration timeout) throws InterruptedException {
    return POLLING
        .until(timeout.minus(since(begun)), this::endOfLoad, Optional::isPresent)
        .orElseGet(
            () ->
                new Outcome(
                    false,
                    timeout.toMillis() / 1000.0,
                    "not loaded within %d s; phase %s"
                        .formatted(timeout.toSeconds(), phases.phase().text()),
                    List.of()));
  }

  private Optional<Outcome> endOfLoad() {
    Phase phase = phases.phase();
    if (phase == Phase.FAILED || stop.isAsked()) {
      return Optional.of(
          new Outcome(
              false,
              0,
              "it is not known whether the load is done: "
                  + phases.end().orElse("the task is stopping; its next start continues"),
              List.of()));
    }
    return phase == Phase.STOPPING || phase == Phase.STOPPED
        ? Optional.of(new Outcome(true, 0, "loaded", List.of()))
        : Optional.empty();
  }

  private static Duration since(long begun) {
    return Duration.ofNanos(System.nanoTime() - begun);
  }
}
