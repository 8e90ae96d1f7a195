package dev.sluice.engine.daemon;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.TargetLimits;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.CutoverCoordinator;
import dev.sluice.engine.monitor.MonitorSnapshot;
import dev.sluice.engine.readiness.CutoverReadiness;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.engine.status.SourceWatchStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.sink.target.TargetLimit;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The commands for a cutover, and what keeps one from beginning. Threadsafe. */
final class CutoverCommands {
  private final TaskContext context;
  private final PhaseTracker phases;
  private final CurrentReplication replication;
  private final Supplier<MonitorSnapshot> measured;
  private final CutoverReadiness readiness;
  private volatile CutoverCoordinator coordinator;

  /**
   * @param measured what the monitor has seen last
   */
  CutoverCommands(
      TaskContext context,
      PhaseTracker phases,
      CurrentReplication replication,
      Supplier<MonitorSnapshot> measured,
      Clock clock) {
    this.context = context;
    this.phases = phases;
    this.replication = replication;
    this.measured = measured;
    this.readiness = new CutoverReadiness(context, replication, live(), clock);
  }

  /** The daemon has checked its task: from now on cutovers can be asked for. */
  void open(CutoverCoordinator opened) {
    coordinator = opened;
  }

  /** Empty before the daemon has checked its task. */
  Optional<CutoverCoordinator> coordinator() {
    return Optional.ofNullable(coordinator);
  }

  Outcome cutover(CutoverOrder order) throws InterruptedException {
    Optional<Outcome> refused = refusal(order);
    return refused.isPresent() ? refused.get() : coordinator.request(order);
  }

  Outcome rehearse(CutoverOrder order) throws InterruptedException {
    Optional<Outcome> refused = refusal(order);
    return refused.isPresent() ? refused.get() : coordinator.rehearse(order);
  }

  /** A quiet source needs no report, unless choices are accepted. */
  private Optional<Outcome> refusal(CutoverOrder order) throws InterruptedException {
    Optional<String> refused = noCutovers();
    if (refused.isPresent()) {
      return Optional.of(new Outcome(false, 0, refused.get(), List.of()));
    }
    CutoverCoordinator opened = coordinator;
    if (opened == null) {
      return Optional.of(new Outcome(false, 0, notYet(), List.of()));
    }
    boolean reported = order.budget().isPresent() || !order.accepted().isEmpty();
    return reported && opened.refusal().isEmpty() ? readiness.refusal(order) : Optional.empty();
  }

  /** What the report of a cutover asks of this daemon. */
  private CutoverReadiness.Live live() {
    return new CutoverReadiness.Live() {
      @Override
      public Optional<String> refusal() {
        CutoverCoordinator opened = coordinator;
        return noCutovers().or(() -> opened == null ? Optional.of(notYet()) : opened.refusal());
      }

      @Override
      public Optional<Duration> lag() {
        MonitorSnapshot last = measured.get();
        return Stream.of(last.targetLag(), last.sourceLag())
            .flatMap(Optional::stream)
            .max(Comparator.naturalOrder());
      }
    };
  }

  /** Why no task with such a target or source is cut over; empty if one can be. */
  private Optional<String> noCutovers() {
    return TargetLimits.problem(
            context.target().dialect(),
            TargetLimit.CUTOVERS,
            "cutover of task " + context.task(),
            "Stop the applications, run sluice wait and sluice stop --drop, set the target's sequences,"
                + " and start the applications on the target")
        .or(() -> context.source().notFenced())
        .map(Problem::toString);
  }

  private String notYet() {
    return "the task is in phase " + phases.phase().text() + ", try later";
  }

  CutoverReport report(CutoverOrder order) throws InterruptedException {
    Optional<Problem> refused = context.source().notFenced();
    if (refused.isPresent()) {
      throw new SluiceException.Fatal(refused.get());
    }
    return phases.phase() == Phase.CUT_OVER ? readiness.cutOver() : readiness.report(order);
  }

  /** What the target has once nothing more is applied. */
  Outcome afterCutover() {
    Optional<Outcome> returned = coordinator.returned();
    if (returned.isPresent()) {
      return returned.get();
    }
    SourceWatchStatus watch = replication.runtime().sourceWatch();
    if (watch == null || watch.changes() == 0 && watch.sequences().isEmpty()) {
      return new Outcome(true, 0, "cut over: the target has everything", List.of());
    }
    String written =
        replication
            .runtime()
            .problem(ProblemKind.SOURCE_WRITTEN)
            .orElse("the source was written to");
    return Outcome.of(Ending.NOT_COVERED, 0, "cut over, but " + written, List.of());
  }
}
