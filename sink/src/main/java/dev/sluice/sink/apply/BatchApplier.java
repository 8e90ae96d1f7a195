package dev.sluice.sink.apply;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ControlTablesSettings;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.sink.apply.isolation.ChangeHistory;
import dev.sluice.sink.apply.isolation.HistoryEntries;
import dev.sluice.sink.apply.isolation.Isolation;
import dev.sluice.sink.apply.isolation.IsolationFindings;
import dev.sluice.sink.apply.isolation.LaneSuspensions;
import dev.sluice.sink.apply.isolation.RejectedChangeWriter;
import dev.sluice.sink.apply.isolation.SavepointRuns;
import dev.sluice.sink.apply.plan.AppliedCounts;
import dev.sluice.sink.apply.plan.ApplySession;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.apply.plan.InsertListener;
import dev.sluice.sink.apply.plan.SourceShapes;
import dev.sluice.sink.apply.plan.TablePlans;
import dev.sluice.sink.apply.round.DeferredChecks;
import dev.sluice.sink.apply.round.RoundApply;
import dev.sluice.sink.apply.round.RoundScope;
import dev.sluice.sink.apply.round.Truncation;
import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.control.position.RowShapeTable;
import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.control.report.ApplyExceptions;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.replay.ChangeReplay;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.Rounds;
import dev.sluice.sink.window.StageTimes;
import dev.sluice.sink.window.WindowApplier;
import dev.sluice.sink.window.compaction.Round;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the windows of one lane to the target over one connection. Owned by the apply thread.
 *
 * <p>Each window is one target transaction: lock the checkpoint row, apply the rounds, advance the
 * checkpoint.
 *
 * <p>If the target rejects a window, {@link Isolation} applies it change by change, in one
 * transaction as well.
 */
public final class BatchApplier implements WindowApplier {
  private static final Logger LOG = LoggerFactory.getLogger(BatchApplier.class);

  private final String user;
  private final CheckpointRows checkpoint;
  private final WindowTransactions transactions;
  private final ExactlyOnceWindows windows;
  private final UnaryOperator<TableId> targetOf;
  private final ChangeReplay replay;
  private final ApplySettings settings;
  private final Clock clock;
  private final ApplyExceptions exceptions;
  private final LaneSuspensions suspensions;
  private final SourceShapes sources;
  private final Optional<ChangeHistory> history;
  private final StageTimes stages = new StageTimes();
  private final Lane lane;

  /**
   * @param start the lane, its checkpoint and the journal offset from which it goes on
   * @param targetOf maps a source table to its target table
   * @param replay reads the changes of a rejected window again
   * @param clock wall clock, for the time of a suspension and for the lag in the history
   */
  public BatchApplier(
      TargetServer server,
      LaneStart start,
      UnaryOperator<TableId> targetOf,
      ChangeReplay replay,
      ApplySettings settings,
      Clock clock) {
    Checkpoint claimed = start.claimed();
    String schema = settings.task().controlSchema();
    this.user = server.user();
    WindowCheckpoint rows = new WindowCheckpoint(schema, claimed, start.lane().id());
    this.checkpoint = start.rows().orElse(rows);
    this.transactions =
        new WindowTransactions(server, checkpoint, start.place().position(), stages);
    this.lane = start.lane();
    this.targetOf = targetOf;
    this.replay = replay;
    this.settings = settings;
    this.clock = clock;
    this.exceptions = new ApplyExceptions(schema, claimed.task());
    this.suspensions =
        new LaneSuspensions(
            lane,
            start.suspensionChanges(),
            new SuspendedTables(schema, claimed.task()),
            start.suspended());
    this.sources = new SourceShapes(new RowShapeTable(schema, claimed.task()), targetOf);
    this.windows =
        new ExactlyOnceWindows(
            transactions, checkpoint, new OtherLanes(lane, rows), stages, suspensions, sources);
    this.history =
        settings.task().get(ControlTablesSettings.HISTORY_TABLE_ENABLED)
            ? Optional.of(
                new ChangeHistory(
                    schema,
                    claimed.task(),
                    Duration.ofMinutes(
                        settings.task().get(ControlTablesSettings.HISTORY_TIMESLOT_IN_MINUTES))))
            : Optional.empty();
  }

  @Override
  public void prepare() {
    transactions.prepare();
  }

  @Override
  public AppliedWindow apply(ClosedWindow window) {
    try {
      return windows
          .run(window, (current, before) -> Optional.of(applyRounds(current, window)))
          .orElseThrow();
    } catch (SluiceException.Data | SluiceException.Table e) {
      LOG.warn(
          "window up to {} was rejected, applying it change by change: {}",
          window.position(),
          e.getMessage());
      return isolated(window);
    }
  }

  @Override
  public void makeDurable() {
    transactions.run(
        "make the checkpoint durable",
        (current, before) -> {
          stages.enter(ApplyStage.DURABLE);
          checkpoint.harden(current.connection());
          transactions.commit(current, before.position());
          return true;
        });
  }

  @Override
  public List<SuspendedTable> suspended() {
    return suspensions.list();
  }

  @Override
  public Map<ApplyStage, Duration> stages() {
    return stages.times();
  }

  @Override
  public void rest(long now) {
    transactions.renewWhereDue(now);
  }

  @Override
  public void breakOff() {
    transactions.breakOff();
  }

  @Override
  public void close() {
    transactions.close();
  }

  private AppliedWindow applyRounds(ApplySession current, ClosedWindow window) throws SQLException {
    DeferredChecks deferred = new DeferredChecks(current);
    RoundApply apply = rounds(current, plans(current, deferred), suspensions.tables(), deferred);
    AppliedCounts counts = new AppliedCounts();
    long statements = current.statements();
    try (Rounds rounds = window.rounds().get()) {
      for (Round round = rounds.next(); round != null; round = rounds.next()) {
        List<Emptied> truncated =
            round.truncate().stream()
                .filter(emptied -> !suspensions.tables().contains(emptied.table()))
                .toList();
        Truncation.refuseWhereAsked(settings.task(), truncated, window.position());
        apply.apply(round, false, counts);
      }
    }
    deferred.check();
    AppliedWindow result =
        counts.applied(current.statements() - statements, window.captured().get());
    writeHistory(current, window, result, counts);
    return result;
  }

  /** Applies a rejected window change by change, so that only the failing changes are rejected. */
  private AppliedWindow isolated(ClosedWindow window) {
    IsolationFindings findings = new IsolationFindings();
    Optional<AppliedWindow> result = Optional.empty();
    while (result.isEmpty()) {
      result = windows.run(window, (current, before) -> isolate(current, before, window, findings));
    }
    suspensions.written(findings);
    long conflicts = result.get().errors().values().stream().mapToLong(e -> e.conflicts()).sum();
    LOG.warn(
        "window up to {} applied change by change: {} of {} rejected",
        window.position(),
        conflicts,
        Counted.of(window.changes(), "change"));
    return result.get();
  }

  private Optional<AppliedWindow> isolate(
      ApplySession current, JournalOffset before, ClosedWindow window, IsolationFindings findings)
      throws SQLException {
    findings.leaveOut(suspensions.tables());
    RejectedChangeWriter writer =
        new RejectedChangeWriter(
            current,
            settings.task(),
            exceptions,
            targetOf,
            clock,
            lane.id().catchesUp() ? "Catching up ends" : "The task stops");
    TablePlans plans = plans(current, InsertListener.IGNORED);
    Isolation isolation =
        new Isolation(
            new SavepointRuns(
                current,
                plans,
                rounds(current, plans, Set.of(), InsertListener.IGNORED),
                window.tuning()),
            settings.task(),
            suspensions.tables(),
            findings,
            writer);
    Optional<AppliedWindow> result;
    try (ChangeReplay.Changes changes = replay.open(before, window.position(), window.filter())) {
      result = isolation.apply(changes);
    }
    if (result.isPresent()) {
      suspensions.write(current.connection(), findings);
      writeHistory(current, window, result.get(), isolation.counts());
    }
    return result;
  }

  private TablePlans plans(ApplySession current, InsertListener insertListener) {
    return new TablePlans(current, transactions.catalog(), sources, settings, user, insertListener);
  }

  private RoundApply rounds(
      ApplySession current, TablePlans plans, Set<TableId> skipped, InsertListener insertListener) {
    return new RoundApply(
        current,
        plans,
        settings,
        new RoundScope(skipped, lane.id().catchesUp(), history.isPresent()),
        insertListener);
  }

  private void writeHistory(
      ApplySession current, ClosedWindow window, AppliedWindow result, AppliedCounts counts)
      throws SQLException {
    if (history.isPresent()) {
      Duration behind = Duration.between(window.lastCommit(), clock.instant());
      history.get().add(current.connection(), behind, HistoryEntries.of(result, counts::bytes));
    }
  }
}
