package dev.sluice.engine.load;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.LoadLimits;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.postgres.load.LoadRules;
import dev.sluice.connector.postgres.load.RecordedTable;
import dev.sluice.connector.postgres.load.Segmentation;
import dev.sluice.connector.postgres.load.TableRecorder;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.engine.load.completion.CompletionSettings;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.load.RowGuard;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The full load of a task: all its tables as one snapshot of the source shows them. Owned by the
 * thread that calls {@link #plan}, {@link #prepare} and {@link #load}, in this order, for each
 * attempt; {@link #progress} and {@link #stop} may be called from any thread.
 *
 * <p>The slot is created between {@link #prepare} and {@link #load}: what happens to a table after
 * it was recorded is noticed, and the source keeps its log for no longer than it must.
 */
public final class FullLoad {
  private static final Logger LOG = LoggerFactory.getLogger(FullLoad.class);

  private static final Duration LOOK = Duration.ofMillis(50);

  private final SourceServer source;
  private final TargetServer target;
  private final List<TableId> tables;
  private final TableMappings mappings;
  private final FullLoadSettings settings;
  private final Segmentation segmentation;
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
   * @param tables names on the source, of views too; roots where tables are partitioned
   * @param segmentation how they are cut
   */
  public FullLoad(
      SourceServer source,
      TargetServer target,
      List<TableId> tables,
      TableMappings mappings,
      FullLoadSettings settings,
      Segmentation segmentation,
      CompletionSettings completionSettings) {
    this.source = source;
    this.target = target;
    this.tables = List.copyOf(tables);
    this.mappings = mappings;
    this.settings = settings;
    this.segmentation = segmentation;
    this.completionSettings = completionSettings;
    this.preparation = new LoadPreparation(source, target, mappings, settings, completionSettings);
    this.layouts = new LoadLayouts(target, mappings);
  }

  /**
   * Bounds how fast it is; without this call nothing does. Called by the owner before {@link
   * #load}.
   *
   * @param limits as they are at the moment; asked for from any worker
   */
  public void limit(Supplier<LoadLimits> limits) {
    throttle = new LoadThrottle(limits, new MonotonicClock());
  }

  /**
   * Keeps this load from touching tables once another daemon loads them. Called by the owner before
   * {@link #prepare}.
   */
  public void fence(EpochFence by) {
    fence = by;
  }

  /**
   * Keeps this load from giving up rows that are not the task's own; without this call it gives up
   * all. Called by the owner before {@link #prepare}.
   */
  public void guard(RowGuard rows) {
    guard = rows;
  }

  /**
   * Looks whose rows {@link #prepare} would give up, and changes nothing.
   *
   * @throws SluiceException.Fatal naming every table with rows that are not the task's own
   */
  public void requireOwnRows(LoadPlan plan) {
    preparation.requireOwnRows(plan.anew(), guard);
  }

  /**
   * Looks what {@link #prepare} would let run on the target, and changes nothing.
   *
   * @throws SluiceException.Fatal naming all code of the source's users that needs consent
   */
  public void requireConsent(LoadPlan plan) {
    preparation.requireConsent(plan.anew());
  }

  /** The tables of the target whose rows {@link #prepare} gives up. */
  public List<TableId> targetsOf(LoadPlan plan) {
    return preparation.targetsOf(plan.anew());
  }

  /** Whether the limits held it up just now. From any thread. */
  public boolean isThrottled() {
    return run.isThrottled();
  }

  /**
   * Records what the tables are now, and orders them: the highest load order first, then the
   * largest, so that no large one is left for the end.
   *
   * @throws SluiceException.Overtaken naming the tables that are not there any more
   */
  public LoadPlan plan() {
    try (Connection connection = source.connect()) {
      List<RecordedTable> recorded = new TableRecorder(connection).record(tables);
      expectations = layouts.expectations(connection, recorded);
      Segmentation cut =
          new LoadRules(connection, mappings.parallelLoad()).segmentation(segmentation, recorded);
      return new LoadPlan(
          recorded.stream()
              .map(table -> PlannedTable.of(table, mappings, cut))
              .sorted(
                  Comparator.comparingInt(PlannedTable::loadOrder)
                      .thenComparingLong(table -> table.recorded().bytes())
                      .reversed())
              .toList());
    } catch (SQLException e) {
      throw SourceErrors.classify("leave " + source, e);
    }
  }

  /**
   * The same plan, keeping nothing where a table that is kept rests on one that is to be dropped: a
   * table that inherits from it, or has its sequence.
   *
   * @param leftBehind tables that an attempt before has begun, and that are not in the plan
   */
  public LoadPlan withoutDependents(LoadPlan plan, List<TableId> leftBehind) {
    return preparation.withoutDependents(plan, leftBehind);
  }

  /**
   * Drops what an attempt before has made and nothing is to be loaded into any more, where
   * TargetTablePrepMode makes tables; else it stays as it is.
   *
   * @param leftBehind not selected any more, or dropped or renamed on the source since
   */
  public void leaveBehind(LoadPlan plan, List<TableId> leftBehind) {
    preparation.leaveBehind(plan, leftBehind, fence);
  }

  /**
   * Brings the target's tables into the state that TargetTablePrepMode asks for, but for those of
   * which something is kept, and plans what they need after their rows.
   *
   * @throws SluiceException.Fatal naming every table that is missing or has rows, and every column
   *     that is missing
   */
  public void prepare(LoadPlan plan, LoadAttempt next) {
    attempt = next;
    preparation.prepare(plan.anew(), next, guard, fence);
  }

  /** Loads all tables, and leaves no marks: broken off, it is of no use. */
  public LoadOutcome load(LoadPlan plan, String snapshot) {
    return load(plan, snapshot, AttemptMarks.none(fence), Optional.empty());
  }

  /**
   * Loads the tables that are not kept. What a table needs after its rows is begun as soon as it
   * has them; a reload waits for that, any other load leaves it to {@link #completion}.
   *
   * @param snapshot the name of the snapshot that the slot exported; it must stay open until this
   *     returns
   * @param marks by which an attempt after this one knows what is whole
   * @param renewal brings the segments that are kept to the same snapshot; empty where there are
   *     none
   * @throws SluiceException where a table cannot be read or written; the load of all is broken off
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
    boolean whole = false;
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
      // Before a row is read that may be under another key in a segment that is kept.
      if (renewal.isPresent()
          && !renewal.get().renew(plan.inParts(), copied, snapshot, () -> stopping)) {
        return new LoadOutcome.Stopped();
      }
      plan.kept().forEach(kept -> begun.rowsWhole(mappings.targetOf(kept.table())));
      int workers =
          Math.max(1, Math.min(settings.maxFullLoadSubTasks(), missing.segments().size()));
      LOG.info(
          "full load: {} in {}, about {} bytes, {}, snapshot {}",
          Counted.of(missing.tables().size(), "table"),
          Counted.of(missing.segments().size(), "segment"),
          missing.bytes(),
          Counted.of(workers, "worker"),
          snapshot);
      LoadOutcome outcome =
          run.load(source, target, snapshot, workers, settings.commitRate(), started);
      LOG.info("full load: {}", outcome);
      whole = outcome instanceof LoadOutcome.Loaded;
      if (whole) {
        targets.forEach(begun::rowsWhole);
        if (attempt == LoadAttempt.RELOAD) {
          whole = false;
          return complete(plan, begun) ? outcome : new LoadOutcome.Stopped();
        }
      }
      return outcome;
    } finally {
      if (!whole) {
        begun.close();
      }
    }
  }

  /** What makes the rest of the loaded tables; open after a load that came to its end. */
  public TableCompletion completion() {
    return completion;
  }

  /** How far each table is, in load order; empty before {@link #load}. From any thread. */
  public List<LoadProgress> progress() {
    return run.progress();
  }

  /** What the catalog said of each table at {@link #plan}. From any thread. */
  public Map<TableId, LoadExpectation> expectations() {
    return expectations;
  }

  /** Makes {@link #load} return soon, with what is on the target as it is. From any thread. */
  public void stop() {
    stopping = true;
    run.stop();
  }

  /**
   * Waits for the steps of the tables of this load.
   *
   * @return false where it was broken off by a stop
   */
  private boolean complete(LoadPlan plan, TableCompletion begun) {
    try {
      while (!stopping) {
        if (begun.await(LOOK)) {
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
