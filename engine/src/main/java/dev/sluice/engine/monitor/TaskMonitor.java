package dev.sluice.engine.monitor;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DiskGuardSettings;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.LogReading;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskCounters;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.fullload.LoadReport;
import dev.sluice.engine.journal.JournalUpkeep;
import dev.sluice.engine.lane.LaneRun;
import dev.sluice.engine.load.LoadPace;
import dev.sluice.engine.load.LoadProgress;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.RateMeter;
import dev.sluice.engine.status.SourceLag;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.progress.TableProgress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the task every half second: rates and lags, and less often the source's log and the
 * journal, whose applied part it deletes. Runs on its own thread; its result is one immutable value
 * that any thread may read.
 */
public final class TaskMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskMonitor.class);

  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final Duration RATE_WINDOW = Duration.ofSeconds(5);
  private static final Duration SOURCE_INTERVAL = Duration.ofSeconds(1);
  private static final Duration JOURNAL_INTERVAL = Duration.ofSeconds(10);

  /** Interval while the journal is more than half full: the capture pauses by this measurement. */
  private static final Duration NARROW_JOURNAL_INTERVAL = Duration.ofSeconds(1);

  private final TaskContext context;
  private final CurrentReplication current;
  private final TaskRuntime runtime;
  private final PhaseTracker phases;
  private final Optional<JournalUpkeep> journal;
  private final StatusRecorder recorder;
  private final Clock clock;
  private final MonotonicClock intervals;
  private final PeriodicTask polling;

  private final RateMeter captureRate = new RateMeter(RATE_WINDOW);
  private final RateMeter applyRate = new RateMeter(RATE_WINDOW);
  private final RateMeter loadRate = new RateMeter(RATE_WINDOW);
  private final LoadPace loadPace = new LoadPace();
  private final LoadReport loadReport = new LoadReport();
  private LoadPace.Report load = LoadPace.Report.NOTHING;
  private final SourceLag lag = new SourceLag();
  private final DiskGuards guards;
  private final KeptJournal keptJournal;
  private Instant sourceDue = Instant.EPOCH;
  private Instant journalDue = Instant.EPOCH;
  private Optional<Position> sourceEnd = Optional.empty();

  /** Everything of the task in the source's log up to here is in the journal. */
  private Position handled = Position.ZERO;

  private long transactionsBefore;
  private Map<TableId, TableProgress> tablesBefore = Map.of();
  private Map<TableId, Instant> updated = Map.of();
  private Optional<RetentionState> retention = Optional.empty();
  private Optional<JournalUpkeep.Extent> extent = Optional.empty();

  private volatile MonitorSnapshot measured = MonitorSnapshot.NOTHING;

  private TaskMonitor(
      TaskContext context,
      CurrentReplication current,
      PhaseTracker phases,
      Optional<JournalUpkeep> journal,
      StatusRecorder recorder,
      Clock clock) {
    this.recorder = recorder;
    this.context = context;
    this.current = current;
    this.runtime = current.runtime();
    this.phases = phases;
    this.journal = journal;
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
    this.guards =
        new DiskGuards(
            DiskGuardSettings.of(context.config().taskSettings()),
            context.source().retention().fixOfGrowth(),
            context.source().retention().limitedBy(),
            context.journalLimit());
    this.keptJournal =
        new KeptJournal(
            context.journalLimit(),
            context.config().taskSettings().get(SluiceSettings.JOURNAL_RESERVE));
    this.polling =
        new PeriodicTask(
            "sluice-monitor",
            INTERVAL,
            () -> poll(clock.instant()),
            // The part that uses the server reports its failure.
            e -> LOG.debug("a measurement failed: {}", e.getMessage()));
  }

  /**
   * Starts the monitor's thread.
   *
   * @param journal owned by the monitor, which closes it; empty for a task without Kafka
   */
  public static TaskMonitor start(
      TaskContext context,
      CurrentReplication current,
      PhaseTracker phases,
      Optional<JournalUpkeep> journal,
      StatusRecorder recorder,
      Clock clock) {
    TaskMonitor monitor = new TaskMonitor(context, current, phases, journal, recorder, clock);
    monitor.polling.start();
    return monitor;
  }

  public MonitorSnapshot measured() {
    return measured;
  }

  @Override
  public void close() {
    polling.close();
    recorder.end();
    journal.ifPresent(JournalUpkeep::close);
  }

  private void poll(Instant now) {
    TaskCounters totals = runtime.totals();
    captureRate.sample(now, totals.captured());
    applyRate.sample(now, totals.applied());
    noteUpdates(now, totals.tables());
    List<LoadProgress> tables = runtime.loadProgress();
    loadRate.sample(now, tables.stream().mapToLong(LoadProgress::rows).sum());
    load = loadPace.sample(now, tables, runtime.loadExpectations());
    if (phases.phase() == Phase.FULL_LOAD) {
      loadReport.log(now, load);
    }
    try {
      if (!intervals.instant().isBefore(sourceDue)) {
        sourceDue = intervals.instant().plus(SOURCE_INTERVAL);
        pollSource(now);
      }
      if (journal.isPresent() && !intervals.instant().isBefore(journalDue)) {
        journalDue = intervals.instant().plus(JOURNAL_INTERVAL);
        pollJournal(journal.get());
        extent.ifPresent(measured -> guards.journal(now, measured));
        if (isJournalHalfFull()) {
          journalDue = intervals.instant().plus(NARROW_JOURNAL_INTERVAL);
        }
      }
    } finally {
      measured = measure(now);
    }
    recorder.writeIfDue(intervals.instant());
  }

  private void pollSource(Instant now) {
    if (runtime.captured().isEmpty()) {
      return;
    }
    Optional<Position> endBefore = sourceEnd;
    LogReading reading = context.source().retention().reading();
    sourceEnd = Optional.of(reading.end());
    lag.sample(now, reading.end());
    retention = reading.retention();
    retention.ifPresent(state -> guards.retention(now, state));
    long transactions = runtime.totals().transactions();
    // Most of a quiet source's log never reaches the journal. If all of it was sent a second ago
    // and no transaction came from it since, it had no changes of the task.
    if (endBefore.isPresent()
        && reading.sent().isPresent()
        && !endBefore.get().isAfter(reading.sent().get())
        && transactions == transactionsBefore) {
      handled = endBefore.get();
    }
    transactionsBefore = transactions;
  }

  /** Deletes the applied part, but not during a cutover, which reads between its fences again. */
  private void pollJournal(JournalUpkeep upkeep) {
    Optional<Replication> running = current.get();
    if (running.isPresent() && phases.phase() != Phase.CUTTING_OVER) {
      try {
        upkeep.deleteBefore(needed(running.get()));
      } catch (SluiceException e) {
        LOG.warn("the applied part of the journal is not deleted: {}", e.getMessage());
      }
    }
    extent = Optional.of(upkeep.extent());
  }

  /** The validation's next start reads keys again, if there is room for them. */
  private long needed(Replication running) {
    long applied = running.sink().apply().neededOffset();
    OptionalLong kept = running.validations().neededOffset();
    if (kept.isEmpty() || kept.getAsLong() >= applied) {
      return applied;
    }
    if (extent.isPresent() && !keptJournal.hasRoom(extent.get(), kept.getAsLong(), applied)) {
      running.validations().giveWay();
      return applied;
    }
    return kept.getAsLong();
  }

  private boolean isJournalHalfFull() {
    long limit = context.journalLimit().bytes();
    return limit > 0
        && extent.map(JournalUpkeep.Extent::bytes).orElse(OptionalLong.empty()).orElse(0)
            > limit / 2;
  }

  private MonitorSnapshot measure(Instant now) {
    Optional<CaptureProgress> captured = runtime.captured();
    Optional<Replication> running = current.get();
    return new MonitorSnapshot(
        captureRate.perSecond(),
        applyRate.perSecond(),
        loadRate.perSecond(),
        load,
        captured.map(c -> lag.behind(now, c.acknowledged().max(handled), c.lastCommit())),
        running.map(r -> targetLag(now, r)),
        running.map(r -> laneLags(now, r)).orElse(Map.of()),
        sourceEnd,
        retention,
        extent,
        guards.report(),
        updated);
  }

  /** The largest lag of a lane. */
  private Duration targetLag(Instant now, Replication running) {
    return running.lanes().stream()
        .map(lane -> laneLag(now, running, lane))
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  private Map<LaneId, Duration> laneLags(Instant now, Replication running) {
    Map<LaneId, Duration> lags = new HashMap<>();
    running.lanes().forEach(lane -> lags.put(lane.lane().id(), laneLag(now, running, lane)));
    return lags;
  }

  private Duration laneLag(Instant now, Replication running, LaneRun lane) {
    SinkProgress progress = lane.progress();
    boolean hasAll = lane.reading().lag().orElse(1) == 0 && progress.intake().backlogChanges() == 0;
    AppliedPoint applied = progress.apply().applied();
    Position reached =
        hasAll
            ? running.captured().acknowledged().max(handled).max(applied.position())
            : applied.position();
    return lag.behind(now, reached, applied.lastCommit());
  }

  private void noteUpdates(Instant now, Map<TableId, TableProgress> tables) {
    Map<TableId, Instant> times = new HashMap<>(updated);
    tables.forEach(
        (table, progress) -> {
          if (!progress.equals(tablesBefore.get(table))) {
            times.put(table, now);
          }
        });
    tablesBefore = tables;
    updated = Map.copyOf(times);
  }
}
