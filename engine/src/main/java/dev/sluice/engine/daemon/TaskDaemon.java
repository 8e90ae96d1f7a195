package dev.sluice.engine.daemon;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.check.RepeatedChecks;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.context.DataDirectoryVersion;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.StopPoint;
import dev.sluice.engine.context.StopRequest;
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
import dev.sluice.engine.monitor.StatusRecorder;
import dev.sluice.engine.monitor.TaskMonitor;
import dev.sluice.engine.otlp.DaemonIdentity;
import dev.sluice.engine.otlp.OtlpPush;
import dev.sluice.engine.page.StatusPage;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.status.ControlToken;
import dev.sluice.engine.status.LastState;
import dev.sluice.engine.status.StatusServer;
import dev.sluice.engine.status.TaskControl;
import dev.sluice.sink.control.task.DaemonPresence;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task's daemon from its start to its end: takes the lock, opens the status page, checks, opens
 * Kafka, lets the {@link TaskSupervisor} run the task, and closes all in the reverse order. {@link
 * #run} is called once, by the main thread; all else may be called from any.
 */
public final class TaskDaemon {
  private static final Logger LOG = LoggerFactory.getLogger(TaskDaemon.class);

  private final TaskConfig config;
  private final Clock clock;
  private final Instant started;
  private final TaskContext context;
  private final PhaseTracker phases;
  private final TaskRuntime runtime = new TaskRuntime();
  private final CurrentReplication replication = new CurrentReplication(runtime);
  private final StopRequest stop = new StopRequest();
  private final Fences fences;
  private final DaemonStatus status;
  private final CutoverCommands cutovers;
  private final DaemonCommands commands;

  private Set<String> letGo = Set.of();

  /**
   * Creates the daemon of a task that moves rows.
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
    this.status = new DaemonStatus(context, phases, replication, started);
    this.cutovers = new CutoverCommands(context, phases, replication, status::measured, clock);
    TableCommands tables = new TableCommands(context, phases, replication, cutovers::coordinator);
    this.commands =
        new DaemonCommands(
            context,
            new DaemonCommands.Parts(
                status,
                tables,
                cutovers,
                new AwaitedChanges(context, phases, stop, fences, tables, cutovers),
                replication,
                stop),
            clock);
  }

  /** The commands of clients, before, while and after it runs. */
  public TaskControl commands() {
    return commands;
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
          StatusPage page = StatusPage.start(config.dataDir(), status, clock);
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
          config.http(), config.httpOrigins(), config.dataDir(), commands, token, page.paths());
    } catch (SluiceException e) {
      phases.enter(Phase.FAILED, e.getMessage());
      throw e;
    }
  }

  /**
   * Writes the last state. Called only while the lock is held: otherwise the directory may be
   * another daemon's.
   */
  private void keepState() {
    boolean removed = stop.isDropAsked() && phases.phase() == Phase.STOPPED;
    LastState.write(config.dataDir(), status.status(), removed, clock.instant());
  }

  /** Why no fence will be applied any more; empty while fences can be. */
  private Optional<String> noFence() {
    return phases.end().or(() -> context.source().notFenced().map(Problem::toString));
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
      // Ended with the work, since a removal of the task deletes the broker's files.
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

  private void check() throws InterruptedException {
    config.inEffect(config.taskSettings()).forEach(setting -> LOG.debug("{}", setting));
    TaskChecks.Findings findings = RepeatedChecks.of(context, stop::await);
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
                new StatusRecorder(context, replication, status::status),
                clock);
        EndpointWatch servers = EndpointWatch.start(context, broker, clock)) {
      status.ask(monitor, servers);
      CutoverCoordinator coordinator =
          new CutoverCoordinator(context, phases, replication, fences, broker.client(), clock);
      coordinator.earlier().letGoBefore(letGo);
      cutovers.open(coordinator);
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
        new TaskSupervisor(
                context.retryPolicy(), attempt::run, runtime, stop, context.retries(), clock)
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
}
