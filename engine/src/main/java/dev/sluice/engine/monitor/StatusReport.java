package dev.sluice.engine.monitor;

import dev.sluice.config.Durations;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.StatusNumbers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskCounters;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.journal.JournalUpkeep.Extent;
import dev.sluice.engine.lane.LaneRun;
import dev.sluice.engine.load.completion.CompletionProgress;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.CompletionStatus;
import dev.sluice.engine.status.TaskMeasurements;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.engine.status.WindowsStatus;
import dev.sluice.sink.progress.IntakeProgress;
import dev.sluice.sink.progress.LastWindow;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.window.policy.WindowPlan;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Builds one status page from the state of all parts. Used for one page, by one thread. */
public final class StatusReport {
  private final TaskContext context;
  private final PhaseTracker.State life;
  private final CurrentReplication current;
  private final TaskRuntime runtime;
  private final MonitorSnapshot measured;
  private final List<TaskStatus.Endpoint> endpoints;
  private final TaskCounters totals;
  private final FiguresReport figures;
  private final ProblemReport problems;
  private final Optional<Replication> replication;
  private final Optional<SinkProgress> sink;
  private final Optional<CaptureProgress> captured;

  public StatusReport(
      TaskContext context,
      PhaseTracker.State life,
      CurrentReplication current,
      MonitorSnapshot measured,
      List<TaskStatus.Endpoint> endpoints) {
    this.endpoints = endpoints;
    this.context = context;
    this.life = life;
    this.current = current;
    this.runtime = current.runtime();
    this.measured = measured;
    this.totals = runtime.totals();
    this.figures = new FiguresReport(context, current, measured);
    this.replication = current.get();
    this.sink = replication.map(Replication::sink);
    this.captured = runtime.captured();
    this.problems = new ProblemReport(runtime, life.phase(), sink, measured);
  }

  public TaskStatus draw(Instant started) {
    TableStatusReport tables = new TableStatusReport(context, life, current, measured, totals);
    return new TaskStatus(
        context.task(),
        life.phase().text(),
        life.since(),
        life.reason(),
        problems.words(),
        runtime.definitions(),
        runtime.epoch(),
        ProcessHandle.current().pid(),
        started,
        source(),
        target(),
        figures.latency(),
        figures.throughput(),
        backlog(),
        memory(),
        swap(),
        journal(),
        figures.guards(),
        windows(),
        lanes(),
        runtime.cutover(),
        runtime.rehearsal(),
        runtime.sourceWatch(),
        runtime.fallback(),
        runtime.completionProgress().stream().map(StatusReport::completion).toList(),
        tables.suspended(),
        measured.load().tables().isEmpty() ? null : TableStatusReport.load(measured.load().all()),
        tables.tables(),
        SettingsReport.of(context),
        endpoints,
        replication
            .flatMap(running -> running.validations().progress())
            .map(ValidationReport::of)
            .orElse(null));
  }

  /** What the metrics show beyond the status, from the same counters. */
  public TaskMeasurements measurements() {
    return new TaskMeasurements(
        Stream.of(Phase.values()).map(Phase::text).toList(),
        problems.kinds(),
        totals.figures(),
        totals.filling(),
        totals.spilled(),
        totals.journalBytes(),
        runtime.loaded(),
        totals.compared().sessions(),
        totals.compared().rows(),
        captured.flatMap(CaptureProgress::lastCommit),
        sink.flatMap(progress -> progress.apply().applied().lastCommit()));
  }

  private TaskStatus.Source source() {
    return new TaskStatus.Source(
        captured.map(CaptureProgress::acknowledged).map(Position::toString).orElse(null),
        measured.sourceEnd().map(Position::toString).orElse(null),
        context.source().retention().shown(),
        measured.retention().map(RetentionState::confirmed).map(Position::toString).orElse(null),
        measured.retention().map(RetentionState::retainedBytes).orElse(null),
        totals.captured(),
        totals.transactions(),
        context.source().log().ignoredMessages());
  }

  private TaskStatus.Target target() {
    return new TaskStatus.Target(
        sink.map(progress -> progress.apply().applied().position().toString()).orElse(null),
        sink.map(progress -> progress.apply().durable().position().toString()).orElse(null),
        totals.applied(),
        totals.netChanges());
  }

  private TaskStatus.Backlog backlog() {
    return new TaskStatus.Backlog(
        figures.backlogChanges(),
        replication.map(Replication::lag).map(StatusReport::boxed).orElse(null));
  }

  /** The lanes; none if one lane has all tables. */
  private List<TaskStatus.Lane> lanes() {
    List<LaneRun> lanes = replication.map(Replication::lanes).orElse(List.of());
    return lanes.size() < 2 ? List.of() : lanes.stream().map(this::lane).toList();
  }

  private TaskStatus.Lane lane(LaneRun lane) {
    return new TaskStatus.Lane(
        lane.lane().id().text(),
        lane.tables().stream().map(TableId::toString).toList(),
        lane.progress().apply().applied().position().toString(),
        lane.progress().apply().durable().position().toString(),
        Optional.ofNullable(measured.laneLags().get(lane.lane().id()))
            .map(StatusNumbers::seconds)
            .orElse(null),
        lane.progress().apply().changes(),
        FiguresReport.backlogChanges(lane));
  }

  private TaskStatus.Memory memory() {
    Runtime runtime = Runtime.getRuntime();
    return new TaskStatus.Memory(
        figures.intake().memory().bytes(),
        figures.memoryLimitBytes(),
        runtime.totalMemory() - runtime.freeMemory(),
        runtime.maxMemory());
  }

  private TaskStatus.Swap swap() {
    IntakeProgress intake = figures.intake();
    return new TaskStatus.Swap(
        intake.swap().bytes(),
        figures.swapLimitBytes(),
        intake.swapFiles(),
        totals.spilled().total(),
        totals.spilled().byLimit(),
        totals.spilled().byAge());
  }

  private TaskStatus.Journal journal() {
    boolean embedded = context.config().kafka().isEmpty();
    return new TaskStatus.Journal(
        context.topics().journal(),
        embedded,
        measured.journal().map(Extent::startOffset).orElse(null),
        measured.journal().map(Extent::endOffset).orElse(null),
        measured.journal().map(extent -> boxed(extent.bytes())).orElse(null),
        embedded ? context.journalLimit().bytes() : null);
  }

  private static Long boxed(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }

  private WindowsStatus windows() {
    Optional<LastWindow> last = sink.flatMap(progress -> progress.apply().lastWindow());
    return new WindowsStatus(
        totals.windows(),
        last.map(
                window ->
                    new WindowsStatus.Last(
                        window.reason().name(),
                        window.changes(),
                        window.netChanges(),
                        window.took().toMillis()))
            .orElse(null),
        sink.flatMap(SinkProgress::plan).map(StatusReport::plan).orElse(null));
  }

  private static WindowsStatus.Plan plan(WindowPlan plan) {
    return new WindowsStatus.Plan(
        StatusNumbers.seconds(plan.times().least()),
        plan.changes(),
        StatusNumbers.rounded(plan.load().changesPerSecond()),
        Durations.seconds(plan.load().fixed()),
        plan.load().perChange(),
        StatusNumbers.seconds(plan.goal()),
        plan.toString());
  }

  private static CompletionStatus completion(CompletionProgress step) {
    return new CompletionStatus(
        step.kind(),
        step.name(),
        step.table().schema(),
        step.table().name(),
        step.state(),
        step.started().orElse(null),
        StatusNumbers.seconds(step.took(Instant.now())),
        step.detail().isEmpty() ? null : step.detail());
  }
}
