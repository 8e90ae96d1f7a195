package dev.sluice.engine.load;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.LoadLimits;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.source.load.RecordedTables;
import dev.sluice.connector.api.source.load.SegmentRules;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.engine.load.completion.CompletionSettings;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.load.RowGuard;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The full load of a task: copies its tables from one snapshot of the source. Owned by the thread
 * that calls {@link #plan}, {@link #prepare} and {@link #load}, in this order, for each attempt;
 * {@link #progress} and {@link #stop} may be called from any thread.
 *
 * <p>The slot is created between {@link #prepare} and {@link #load}, so that every change of a
 * table after the plan is detected, and the source keeps its log only as long as needed.
 */
public final class FullLoad {
  private static final Logger LOG = LoggerFactory.getLogger(FullLoad.class);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  private final SourceReader source;
  private final TargetServer target;
  private final TableMappings mappings;
  private final List<TableId> tables;
  private final TaskSettings settings;
  private final CompletionSettings completionSettings;
  private final LoadPreparation preparation;
  private final LoadLayouts layouts;

  private LoadThrottle throttle = LoadThrottle.none();
  private EpochFence fence = EpochFence.NONE;
  private RowGuard guard = RowGuard.NONE;
  private LoadAttempt attempt;
  private volatile TableCompletion completion;
  private volatile LoadRun run = LoadRun.ofNothing();
  private volatile Map<TableId, LoadExpectation> expectations = Map.of();
  private volatile boolean stopping;

  /**
   * @param tables names on the source, also of views; the roots of partitioned tables
   */
  public FullLoad(
      LoadRoute route,
      List<TableId> tables,
      TaskSettings settings,
      CompletionSettings completionSettings) {
    this.source = route.source();
    this.target = route.target();
    this.mappings = route.mappings();
    this.tables = List.copyOf(tables);
    this.settings = settings;
    this.completionSettings = completionSettings;
    this.preparation = new LoadPreparation(route, settings, completionSettings);
    this.layouts = new LoadLayouts(target, mappings, source.writesBinary());
  }

  /**
   * Limits the rate of the load. Called by the owner before {@link #load}; without this call there
   * is no limit.
   *
   * @param limits the present limits; read by all workers
   */
  public void limit(Supplier<LoadLimits> limits) {
    throttle = new LoadThrottle(limits, new MonotonicClock());
  }

  /**
   * Makes each write of this load fail once another daemon has claimed the task. Called by the
   * owner before {@link #prepare}.
   */
  public void fence(EpochFence by) {
    fence = by;
  }

  /**
   * Prevents this load from deleting rows that are not the task's own; without this call it deletes
   * all. Called by the owner before {@link #prepare}.
   */
  public void guard(RowGuard rows) {
    guard = rows;
  }

  /**
   * Checks whose rows {@link #prepare} would delete. Changes nothing.
   *
   * @throws SluiceException.Fatal naming every table with rows that are not the task's own
   */
  public void requireOwnRows(LoadPlan plan) {
    preparation.requireOwnRows(plan.fromScratch(), guard);
  }

  /**
   * Checks which code {@link #prepare} would run on the target. Changes nothing.
   *
   * @throws SluiceException.Fatal naming all code of the source's users that needs consent
   */
  public void requireConsent(LoadPlan plan) {
    preparation.requireConsent(plan.fromScratch());
  }

  /** The target tables whose rows {@link #prepare} deletes. */
  public List<TableId> targetsOf(LoadPlan plan) {
    return preparation.targetsOf(plan.fromScratch());
  }

  /** Whether the limits slow it down at present. May be called from any thread. */
  public boolean isThrottled() {
    return run.isThrottled();
  }

  /**
   * Records the tables' present definitions, and plans to load all of them.
   *
   * @throws SluiceException.Overtaken naming the tables that no longer exist
   */
  public LoadPlan plan() {
    RecordedTables recorded =
        source.record(
            tables,
            new SegmentRules(
                settings.get(SluiceSettings.LOAD_SEGMENT_SIZE),
                mappings.parallelLoad(),
                layouts::condition));
    expectations = LoadLayouts.expectations(recorded);
    return LoadPlan.of(recorded, mappings);
  }

  /**
   * Returns the plan, or one that keeps nothing if a kept table depends on one that is to be
   * dropped: it inherits from it, or uses its sequence.
   *
   * @param leftBehind tables that an earlier attempt has started, and that are not in the plan
   */
  public LoadPlan withoutDependents(LoadPlan plan, List<TableId> leftBehind) {
    return preparation.withoutDependents(plan, leftBehind);
  }

  /**
   * Drops target tables of an earlier attempt that are not loaded any more, if TargetTablePrepMode
   * is DROP_AND_CREATE; otherwise they stay as they are.
   *
   * @param leftBehind tables no longer selected, or dropped or renamed on the source since
   */
  public void leaveBehind(LoadPlan plan, List<TableId> leftBehind) {
    preparation.leaveBehind(plan, leftBehind, guard, fence);
  }

  /**
   * Prepares the target tables as TargetTablePrepMode says, except those of which something is
   * kept, and plans their completion.
   *
   * @throws SluiceException.Fatal naming every table that is missing or has rows, and every column
   *     that is missing
   */
  public void prepare(LoadPlan plan, LoadAttempt next) {
    attempt = next;
    preparation.prepare(plan.fromScratch(), next, guard, fence);
  }

  /** Loads all tables without marks: nothing of an interrupted load is kept. */
  public LoadOutcome load(LoadPlan plan, String snapshot) {
    return load(plan, snapshot, AttemptMarks.none(fence), Optional.empty());
  }

  /**
   * Loads the tables that are not kept. The completion of a table starts as soon as it has its
   * rows. A reload waits for the completion; after any other load {@link #completion} continues it.
   *
   * @param snapshot the name of the snapshot that the slot exported; it must stay open until this
   *     returns
   * @param marks record for a later attempt what is complete
   * @param renewal brings the kept segments to the same snapshot; empty if there are none
   * @throws SluiceException if a table cannot be read or written; the whole load ends then
   */
  public LoadOutcome load(
      LoadPlan plan, String snapshot, AttemptMarks marks, Optional<PartRenewal> renewal) {
    Instant started = Instant.now();
    LoadPlan missing = plan.missing();
    Set<TableId> targets =
        plan.names().stream().map(mappings::targetOf).collect(Collectors.toSet());
    TableCompletion begun =
        TableCompletion.open(
            target, completionSettings, CompletionStep.Stage.TABLE, targets::contains);
    completion = begun;
    boolean complete = false;
    try {
      Map<TableId, CopyLayout> copied = layouts.of(missing);
      run =
          new LoadRun(
              plan,
              copied,
              mappings::targetOf,
              marks,
              throttle,
              table -> begun.rowsWhole(mappings.targetOf(table)));
      if (stopping) {
        return new LoadOutcome.Stopped();
      }
      // Done before any row is read: with an old key, the row may be in a kept segment, too.
      if (renewal.isPresent()
          && !renewal.get().renew(plan.inParts(), copied, snapshot, () -> stopping)) {
        return new LoadOutcome.Stopped();
      }
      plan.kept().forEach(kept -> begun.rowsWhole(mappings.targetOf(kept.table())));
      int workers = WorkerCount.of(settings, target, missing.segments().size());
      LOG.info(
          "full load: {} in {}, about {} bytes, {}, snapshot {}",
          Counted.of(missing.tables().size(), "table"),
          Counted.of(missing.segments().size(), "segment"),
          missing.bytes(),
          Counted.of(workers, "worker"),
          snapshot);
      LoadOutcome outcome = load(snapshot, workers, started);
      LOG.info("full load: {}", outcome);
      complete = outcome instanceof LoadOutcome.Loaded;
      if (complete) {
        targets.forEach(begun::rowsWhole);
        if (attempt == LoadAttempt.RELOAD) {
          complete = false;
          return complete(plan, begun) ? outcome : new LoadOutcome.Stopped();
        }
      }
      return outcome;
    } finally {
      if (!complete) {
        begun.close();
      }
    }
  }

  private LoadOutcome load(String snapshot, int workers, Instant started) {
    Optional<AdvisedWorkers> advised =
        WorkerCount.advice(settings, target, workers)
            .map(advice -> AdvisedWorkers.start(advice, run.gate()));
    try {
      return run.load(
          source, target, snapshot, workers, settings.get(FullLoadSettings.COMMIT_RATE), started);
    } finally {
      advised.ifPresent(AdvisedWorkers::close);
    }
  }

  /** The tables' completion; open after a finished load. */
  public TableCompletion completion() {
    return completion;
  }

  /** Progress of each table, in load order; empty before {@link #load}. From any thread. */
  public List<LoadProgress> progress() {
    return run.progress();
  }

  /** The sizes of the tables by the catalog at {@link #plan}. From any thread. */
  public Map<TableId, LoadExpectation> expectations() {
    return expectations;
  }

  /** Makes {@link #load} return soon; the target stays as it is then. From any thread. */
  public void stop() {
    stopping = true;
    run.stop();
  }

  /**
   * Waits for the completion of this load's tables.
   *
   * @return false if a stop interrupted it
   */
  private boolean complete(LoadPlan plan, TableCompletion begun) {
    try {
      while (!stopping) {
        if (begun.await(POLL_INTERVAL)) {
          LOG.info("{} completed: {}", plan.names(), begun.summary());
          return true;
        }
      }
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
