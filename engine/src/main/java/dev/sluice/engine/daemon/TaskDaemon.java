package dev.sluice.engine.daemon;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.settings.SettingChange;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.context.DataDirectoryVersion;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.RecentWindows;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.StopPoint;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TargetLimits;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.cutover.CutoverCoordinator;
import dev.sluice.engine.cutover.EarlyRelease;
import dev.sluice.engine.fallback.FallbackLogGuard;
import dev.sluice.engine.fallback.FallbackWatch;
import dev.sluice.engine.fallback.SequencesAhead;
import dev.sluice.engine.fallback.Watch;
import dev.sluice.engine.journal.BrokerStart;
import dev.sluice.engine.journal.JournalBroker;
import dev.sluice.engine.journal.JournalUpkeep;
import dev.sluice.engine.logging.LogLevels;
import dev.sluice.engine.monitor.FiguresReport;
import dev.sluice.engine.monitor.MonitorSnapshot;
import dev.sluice.engine.monitor.StatusRecorder;
import dev.sluice.engine.monitor.StatusReport;
import dev.sluice.engine.monitor.TaskMonitor;
import dev.sluice.engine.otlp.DaemonIdentity;
import dev.sluice.engine.otlp.OtlpPush;
import dev.sluice.engine.page.PageSource;
import dev.sluice.engine.page.StatusPage;
import dev.sluice.engine.readiness.Coverage;
import dev.sluice.engine.readiness.CutoverReadiness;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.ControlToken;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.engine.status.Scrape;
import dev.sluice.engine.status.StatusFigures;
import dev.sluice.engine.status.StatusServer;
import dev.sluice.engine.status.TaskControl;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.control.task.DaemonPresence;
import dev.sluice.sink.target.TargetLimit;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task's daemon from its start to its end: takes the lock, opens the status page, checks, opens
 * Kafka, lets the {@link TaskSupervisor} run the task, and closes all in the reverse order. {@link
 * #run} is called once, by the main thread; {@link TaskControl} may be called from any.
 */
public final class TaskDaemon implements TaskControl {
  private static final Logger LOG = LoggerFactory.getLogger(TaskDaemon.class);

  private static final Polling POLLING = Polling.every(Duration.ofMillis(50));

  private final TaskConfig config;
  private final Clock clock;
  private final Instant started;
  private final TaskContext context;
  private final PhaseTracker phases;
  private final TaskRuntime runtime = new TaskRuntime();
  private final CurrentReplication replication = new CurrentReplication(runtime);
  private final StopRequest stop = new StopRequest();
  private final Fences fences;
  private final TableCommands tableCommands;
  private final CutoverReadiness readiness;
  private final LogLevels logLevels = new LogLevels();

  private Set<String> letGo = Set.of();
  private volatile CutoverCoordinator cutovers;
  private volatile Supplier<MonitorSnapshot> measured = () -> MonitorSnapshot.NOTHING;
  private volatile Supplier<List<TaskStatus.Endpoint>> endpoints = List::of;

  /**
   * Made of a task that moves rows.
   *
   * @throws IllegalArgumentException if its settings say ValidationOnly
   */
  public TaskDaemon(TaskConfig config) {
    if (config.taskSettings().get(ValidationSettings.VALIDATION_ONLY)) {
      throw new IllegalArgumentException("BUG: a task with ValidationOnly has no daemon");
    }
    this.config = config;
    this.clock = Clock.systemUTC();
    this.started = clock.instant();
    this.context = TaskContext.of(config);
    this.phases = new PhaseTracker(context.task(), clock, this::keepState);
    this.fences = new Fences(context.source().log(), replication::get, this::noFence, clock);
    this.tableCommands =
        new TableCommands(context, phases, replication, () -> Optional.ofNullable(cutovers));
    this.readiness = new CutoverReadiness(context, replication, live(), clock);
  }

  /**
   * Runs until the task is stopped or done.
   *
   * @throws SluiceException if it cannot start or continue
   */
  public void run() {
    try (TaskLock lock = TaskLock.take(context.task(), config.dataDir())) {
      DataDirectoryVersion.require(config.dataDir());
      LOG.info("task {} of {}, process {}", context.task(), config.dataDir(), lock.pid());
      ControlToken token = ControlToken.create(config.dataDir());
      try (BrokerStart broker = BrokerStart.begin(config, context.topics());
          StatusPage page = StatusPage.start(config.dataDir(), page(), clock);
          StatusServer server = listen(token, page)) {
        LOG.info("status on http://{}/, as JSON on /status", server.address());
        Optional<OtlpPush> push =
            OtlpPush.start(
                config.taskSettings(),
                new DaemonIdentity(context.task(), StatusServer.version(), started),
                server::scrape,
                clock);
        try {
          live(lock, broker);
        } finally {
          push.ifPresent(OtlpPush::close);
        }
      }
    }
  }

  private StatusServer listen(ControlToken token, StatusPage page) {
    try {
      return StatusServer.start(
          config.http(), config.httpOrigins(), config.dataDir(), this, token, page.paths());
    } catch (SluiceException e) {
      phases.enter(Phase.FAILED, e.getMessage());
      throw e;
    }
  }

  /** Called only while the lock is held: otherwise the directory may be another daemon's. */
  private void keepState() {
    boolean removed = stop.isDropAsked() && phases.phase() == Phase.STOPPED;
    LastState.write(config.dataDir(), status(), removed, clock.instant());
  }

  @Override
  public TaskStatus status() {
    return report().draw(started);
  }

  @Override
  public String task() {
    return context.task();
  }

  @Override
  public Scrape scrape() {
    StatusReport report = report();
    return new Scrape(report.draw(started), report.measurements());
  }

  /** What the page asks of this daemon, beside the status. */
  private PageSource page() {
    return new PageSource() {
      @Override
      public StatusFigures figures() {
        return new FiguresReport(context, replication, measured.get()).draw();
      }

      @Override
      public RecentWindows windows() {
        return context.windows();
      }
    };
  }

  private StatusReport report() {
    return new StatusReport(context, phases.state(), replication, measured.get(), endpoints.get());
  }

  /** Why no fence will pass any more, or ever. */
  private Optional<String> noFence() {
    return phases.end().or(() -> context.source().notFenced().map(Problem::toString));
  }

  /** The refusal of what needs fences, for a source that has none. */
  private Optional<Outcome> notFenced() {
    return context
        .source()
        .notFenced()
        .map(problem -> new Outcome(false, 0, problem.toString(), List.of()));
  }

  @Override
  public Outcome fence(Duration timeout, boolean exceptSuspended) throws InterruptedException {
    long begun = System.nanoTime();
    if (phases.phase() == Phase.CUT_OVER) {
      return afterCutover();
    }
    if (!config.migrationType().captures()) {
      return awaitLoad(begun, timeout);
    }
    if (notFenced().isPresent()) {
      return notFenced().get();
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
    List<SuspendedTable> suspended = tableCommands.awaitResyncs(timeout.minus(since(begun)));
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

  /** What the target has once nothing more is applied. */
  private Outcome afterCutover() {
    Optional<Outcome> returned = cutovers.returned();
    if (returned.isPresent()) {
      return returned.get();
    }
    TaskStatus.SourceWatch watch = runtime.sourceWatch();
    if (watch == null || watch.changes() == 0 && watch.sequences().isEmpty()) {
      return new Outcome(true, 0, "cut over: the target has everything", List.of());
    }
    String written =
        runtime.problem(ProblemKind.SOURCE_WRITTEN).orElse("the source was written to");
    return Outcome.of(Ending.NOT_COVERED, 0, "cut over, but " + written, List.of());
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

  @Override
  public Outcome cutover(CutoverOrder order) throws InterruptedException {
    Optional<Outcome> refused = refusal(order);
    return refused.isPresent() ? refused.get() : cutovers.request(order);
  }

  @Override
  public Outcome rehearse(CutoverOrder order) throws InterruptedException {
    Optional<Outcome> refused = refusal(order);
    return refused.isPresent() ? refused.get() : cutovers.rehearse(order);
  }

  /** A quiet source needs no report, unless choices are accepted. */
  private Optional<Outcome> refusal(CutoverOrder order) throws InterruptedException {
    Optional<String> refused = noCutovers();
    if (refused.isPresent()) {
      return Optional.of(new Outcome(false, 0, refused.get(), List.of()));
    }
    CutoverCoordinator coordinator = cutovers;
    if (coordinator == null) {
      return Optional.of(new Outcome(false, 0, notYet(), List.of()));
    }
    boolean reported = order.budget().isPresent() || !order.accepted().isEmpty();
    return reported && coordinator.refusal().isEmpty()
        ? readiness.refusal(order)
        : Optional.empty();
  }

  /** What the report of a cutover asks of this daemon. */
  private CutoverReadiness.Live live() {
    return new CutoverReadiness.Live() {
      @Override
      public Optional<String> refusal() {
        CutoverCoordinator coordinator = cutovers;
        return noCutovers()
            .or(() -> coordinator == null ? Optional.of(notYet()) : coordinator.refusal());
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
            "cutover of task " + config.task(),
            "Stop the applications, run sluice wait and sluice stop --drop, set the target's sequences,"
                + " and start the applications on the target")
        .or(() -> context.source().notFenced())
        .map(Problem::toString);
  }

  private String notYet() {
    return "the task is in phase " + phases.phase().text() + ", try later";
  }

  @Override
  public CutoverReport cutoverReport(CutoverOrder order) throws InterruptedException {
    Optional<Problem> refused = context.source().notFenced();
    if (refused.isPresent()) {
      throw new SluiceException.Fatal(refused.get());
    }
    return phases.phase() == Phase.CUT_OVER ? readiness.cutOver() : readiness.report(order);
  }

  @Override
  public Outcome resume(List<TableId> tables) {
    // A table catches up with the others at a fence.
    return notFenced().isPresent() ? notFenced().get() : tableCommands.resume(tables);
  }

  @Override
  public Outcome validate(List<TableId> tables, Optional<UUID> record) throws InterruptedException {
    return tableCommands.validate(tables, record);
  }

  @Override
  public Outcome repair(List<TableId> tables, boolean deleteExtra) throws InterruptedException {
    return tableCommands.repair(tables, deleteExtra);
  }

  @Override
  public Outcome resync(List<TableId> tables, boolean deleteExtra) throws InterruptedException {
    return tableCommands.resync(tables, deleteExtra);
  }

  @Override
  public Outcome reload(List<TableId> tables) {
    return notFenced().isPresent() ? notFenced().get() : tableCommands.reload(tables);
  }

  @Override
  public Outcome retry() {
    String problem = status().problem();
    context.retries().ask();
    replication.get().ifPresent(Replication::retryNow);
    return new Outcome(
        true,
        0,
        problem == null
            ? "no problem is known; every waiting retry is made at once"
            : "tried again at once: " + problem,
        List.of());
  }

  @Override
  public Outcome tune(Map<String, String> values) {
    List<SettingChange> changes;
    try {
      changes = context.live().tune(values, clock.instant());
    } catch (SluiceException.Fatal e) {
      return new Outcome(
          false, 0, "nothing is changed:", e.problems().stream().map(Problem::toString).toList());
    }
    String message =
        changes.isEmpty()
            ? "these values were in effect already; they stay until the daemon ends"
            : "in effect from the next window on, until the daemon ends; to keep it, write it into"
                + " the task settings ("
                + config.files()
                + ") as well:";
    return new Outcome(true, 0, message, changes.stream().map(SettingChange::toString).toList());
  }

  @Override
  public Outcome logging(Map<String, String> levels) {
    if (levels.isEmpty()) {
      return new Outcome(true, 0, "levels of the log, by package:", logLevels.lines());
    }
    try {
      return new Outcome(true, 0, "in effect until the daemon ends:", logLevels.set(levels));
    } catch (SluiceException.Fatal e) {
      return new Outcome(
          false, 0, "nothing is changed:", e.problems().stream().map(Problem::toString).toList());
    }
  }

  @Override
  public void stop(boolean drop) {
    stop.ask(drop);
  }

  /**
   * Stops the task after an uncaught error has ended a thread of this process. Without that thread
   * the task would silently do only a part of its work. It ends as after a stop, and fails.
   */
  public void threadEnded(Thread thread, Throwable reason) {
    LOG.error("thread {} ends: {}", thread.getName(), reason.toString(), reason);
    stop.askBecause(
        new SluiceException.Fatal(
            "BUG: thread %s ended with %s".formatted(thread.getName(), reason), reason));
  }

  /** Whether the task is still checking, or waiting for a server, before its work. */
  public boolean isPreparing() {
    Phase phase = phases.phase();
    return phase == Phase.CHECKING || phase == Phase.PREPARING;
  }

  private void live(TaskLock lock, BrokerStart start) {
    try {
      phases.enter(Phase.CHECKING, "the task file is read");
      // Ends with the work: a removal of the task deletes the broker's files.
      try (BrokerStart broker = start) {
        letGo = EarlyRelease.of(context);
        check();
        if (!stop.isAsked()) {
          phases.enter(Phase.PREPARING, "checked");
          supervise(broker);
        }
      }
      if (stop.failure().isPresent()) {
        throw stop.failure().get();
      }
      phases.enter(Phase.STOPPING, stop.isAsked() ? "requested" : "nothing left to do");
      if (stop.isDropAsked()) {
        TaskRemoval.of(context).remove(lock);
      }
      phases.enter(
          Phase.STOPPED, stop.isDropAsked() ? "the task is removed" : "checkpoint durable");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      phases.enter(Phase.FAILED, "interrupted");
      throw new SluiceException.Retryable("the daemon was interrupted", e);
    } catch (RuntimeException e) {
      phases.enter(Phase.FAILED, String.valueOf(e.getMessage()));
      throw e;
    } catch (Error e) {
      SluiceException failure = new SluiceException.Fatal("BUG: the daemon ended with " + e, e);
      phases.enter(Phase.FAILED, failure.getMessage());
      throw failure;
    }
  }

  private void check() {
    config.taskSettings().inEffect().forEach(setting -> LOG.debug("{}", setting));
    TaskChecks.Findings findings = TaskChecks.of(context).findings();
    findings.notes().forEach(note -> LOG.info("note: {}", note));
    if (!findings.problems().isEmpty()) {
      throw new SluiceException.Fatal(findings.problems());
    }
    LOG.info("checked: {}", findings.summary());
  }

  private void supervise(BrokerStart start) throws InterruptedException {
    try (JournalBroker broker = start.take();
        Journal journal = new Journal(broker.client(), context.topics());
        DaemonPresence presence =
            new DaemonPresence(context.target(), context.controlSchema(), context.task());
        TaskMonitor monitor =
            TaskMonitor.start(
                context,
                replication,
                phases,
                JournalUpkeep.of(broker, context.topics()),
                new StatusRecorder(context, replication, this::status),
                clock);
        EndpointWatch servers = EndpointWatch.start(context, broker, clock)) {
      measured = monitor::measured;
      endpoints = servers::seen;
      CutoverCoordinator coordinator =
          new CutoverCoordinator(context, phases, replication, fences, broker.client(), clock);
      coordinator.letGoBefore(letGo);
      cutovers = coordinator;
      JournalGuard guard =
          new JournalGuard(
              context.journalLimit(),
              config.taskSettings().get(SluiceSettings.JOURNAL_RESERVE),
              () -> monitor.measured().journal());
      SettingsWatch watch = SettingsWatch.start(config.files(), context.live(), clock);
      Watch log = FallbackLogGuard.watch(context, phases, stop);
      Watch wayBack = FallbackWatch.start(context, runtime, clock);
      Watch sequences = SequencesAhead.watch(context, phases);
      try {
        TaskAttempt attempt =
            new TaskAttempt(
                new RunningTask(
                    context, phases, runtime, stop, StopPoint.of(context, clock), clock),
                replication,
                coordinator,
                journal,
                presence,
                guard);
        new TaskSupervisor(context.retryPolicy(), attempt, runtime, stop, context.retries(), clock)
            .run();
      } finally {
        sequences.close();
        wayBack.close();
        log.close();
        watch.close();
        coordinator.close();
      }
    }
  }

  private static Duration since(long begun) {
    return Duration.ofNanos(System.nanoTime() - begun);
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
}
