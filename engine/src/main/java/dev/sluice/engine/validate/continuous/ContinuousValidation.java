package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.followed.FollowedCoverage;
import dev.sluice.engine.validate.record.PassRecord;
import dev.sluice.engine.validate.schedule.SessionTiming.Pause;
import dev.sluice.engine.validate.session.AppliedKeys;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.sink.control.report.RejectedRows;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.touched.TouchedKeys;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the replicated tables of both sides while changes are applied: a thread that runs one
 * short session after the other. It never stops the task: a session that fails is tried again.
 * Started and ended with the replication; its progress may be read from any thread.
 */
final class ContinuousValidation implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ContinuousValidation.class);
  private static final Duration STEP = Duration.ofMillis(200);

  /** The pause where nothing is touched. */
  private static final Duration IDLE_ROUND = Duration.ofMillis(10);

  private static final Optional<Duration> NO_LAG = Optional.of(Duration.ZERO);

  private final TaskContext context;
  private final Applied applied;
  private final RepairGate gate;
  private final Clock clock;
  private final WantedPasses wanted = new WantedPasses();
  private final ValidationTuning tuning;
  private final TrackedTables followed;
  private final ProgressReport report;
  private final SessionPace pace;
  private final LaneSessions sessions;
  private final FirstVacuums vacuums;
  private final SessionChoice choice;
  private final SessionResults results;
  private final SessionRun run;
  private final PassStart passes;
  private final WantedRounds rounds;
  private final HeldWindows held;
  private final RowRepairs repairs;
  private final PeriodicTask thread;

  /**
   * @param gate whether rows may be repaired
   */
  ContinuousValidation(
      TaskContext context,
      Checkpoint claimed,
      TouchedKeys touched,
      Applied applied,
      RepairGate gate,
      Clock clock) {
    this.context = context;
    this.applied = applied;
    this.gate = gate;
    this.clock = clock;
    ColumnNames columns = context.config().tableMappings().columns();
    AppliedKeys keys = new AppliedKeys(touched, columns);
    ValidationStore store =
        new ValidationStore(context.target(), context.controlSchema(), context.task());
    this.tuning = new ValidationTuning(context, wanted);
    this.followed = new TrackedTables(context, store, touched, claimed.position(), applied);
    this.report = new ProgressReport(tuning, followed, clock);
    this.pace = new SessionPace(tuning, clock);
    this.sessions = new LaneSessions(context, keys, tuning);
    this.vacuums = new FirstVacuums(sessions::prepare);
    RepairBackoff backoff = new RepairBackoff();
    this.choice =
        new SessionChoice(
            applied,
            wanted,
            backoff,
            followed::isPending,
            vacuums,
            () -> new SessionPlans(touched, columns, tuning.limits().touchedKeys()));
    RejectedDifferences rejected =
        new RejectedDifferences(
            new RejectedRows(context.controlSchema(), context.task()), context.target(), columns);
    this.results =
        new SessionResults(claimed, store, rejected, touched, wanted, tuning::mostFailures);
    this.run = new SessionRun(sessions, results, wanted, followed, report, pace);
    this.passes = new PassStart(context, wanted, followed);
    this.rounds = new WantedRounds(report::progress);
    this.held = new HeldWindows(applied, rounds::areWanted);
    Repairs.WriteTimes times = new Repairs.WriteTimes(held, gate);
    this.repairs =
        new RowRepairs(
            () -> new Repairs(context, claimed, keys, store, tuning.repairLimits(), times),
            gate,
            applied,
            wanted,
            backoff,
            followed::voided);
    this.thread = new PeriodicTask("sluice-validation", STEP, this::step, this::failed);
  }

  /** From now on sessions run only while somebody waits for a pass. Called before the start. */
  void onlyOnDemand() {
    wanted.onlyOnDemand();
    // What an earlier validation of this daemon has read was not followed since.
    followed.recordedFrom(context.source().log().lastTransaction());
  }

  /** From now on it is remembered which tables are followed. Called before the start. */
  void remember(FollowedCoverage across) {
    followed.remember(across);
  }

  /** Since when changes are recorded. Called before the start. */
  void recordedFrom(Position position) {
    followed.recordedFrom(position);
  }

  /** From now on passes run and what differs is repaired at once. Called before the start. */
  void resync(ResyncPasses passes) {
    wanted.resync(passes);
  }

  void start() {
    PassRecord.deleteLeft(context.config().dataDir(), clock.instant());
    thread.start();
  }

  ValidationProgress progress() {
    return report.progress();
  }

  /** The rows of a table are loaded again: what was read of them counts no longer. Any thread. */
  void rowsReplaced(TableId table) {
    followed.rowsReplaced(table);
  }

  /** From now on only touched rows are compared, until it is closed. Any thread. */
  TouchedRounds touchedRounds() {
    TouchedRounds wanted = rounds.begin();
    // The caller waits for the windows.
    held.end();
    return wanted;
  }

  /**
   * Reads tables once, in sessions back to back; waits for the result. Any thread.
   *
   * @param record the file for the record of the pass; empty without one
   * @throws SluiceException if the validation ends meanwhile, or a table is not replicated
   */
  PassResult pass(PassScope scope, Optional<Path> record) throws InterruptedException {
    return await(wanted.add(scope, record));
  }

  /**
   * Repairs the listed rows, by the thread of the validation; waits for it. Any thread.
   *
   * @param only the tables; empty: all that have listed rows
   * @param deleteExtra whether rows that only the target has are deleted
   * @return a line for each table
   * @throws SluiceException if a table is unknown, or the repair failed
   */
  List<String> repair(List<TableId> only, boolean deleteExtra) throws InterruptedException {
    return await(repairs.add(only, deleteExtra));
  }

  private static <T> T await(CompletableFuture<T> answer) throws InterruptedException {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SluiceException known
          ? known
          : new SluiceException.Fatal("BUG: the validation failed: " + e.getCause(), e.getCause());
    }
  }

  /** Ends the session in flight; what it found is not stored. Idempotent. */
  @Override
  public void close() {
    thread.close();
    vacuums.close();
    followed.close();
    repairs.refuseAll(new SluiceException.Retryable("the replication is ending", null));
    wanted.close();
  }

  private void failed(RuntimeException error) {
    pace.nothingDone(clock.instant());
    report.publish("the last session failed: " + error.getMessage());
    if (error instanceof SluiceException.Fenced) {
      LOG.info("validation ends: {}", error.getMessage());
    } else if (error instanceof SluiceException) {
      LOG.warn("a session of the validation failed and is tried again: {}", error.getMessage());
    } else {
      LOG.error("BUG: a session of the validation failed and is tried again", error);
    }
  }

  /** Sessions of a pass run back to back while they get further. */
  private void step() {
    Instant now = clock.instant();
    if (followed.isRememberedUnread() && pace.pause(NO_LAG, now).isEmpty()) {
      // Also while the target lags: the journal is kept until this is known.
      followed.load(now);
    }
    boolean more = true;
    while (more && !Thread.currentThread().isInterrupted()) {
      more = stepOnce();
      if (!Thread.currentThread().isInterrupted()) {
        followed.store(clock.instant());
      }
    }
  }

  /** Returns whether the next session is due at once. */
  private boolean stepOnce() {
    try {
      compareTouched();
      if (gate.isClosed()) {
        refuseWaiting();
        return false;
      }
      repairs
          .answerAll(sessions::obstacle, () -> followed.load(clock.instant()))
          .ifPresent(report::publish);
      if (passes.beginIfDue(clock.instant())) {
        pace.hurry();
      }
      Instant now = clock.instant();
      Optional<ValidatedTables> due = dueForSession(now);
      return due.isPresent() && runSession(due.get(), now);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** The tables, if a session is due. */
  private Optional<ValidatedTables> dueForSession(Instant now) {
    if (wanted.isIdle()) {
      return Optional.empty();
    }
    Optional<Pause> pause = pace.pause(applied.lag(), now);
    if (pause.isPresent()) {
      report.publish(pause.get().reason());
      return Optional.empty();
    }
    ValidatedTables tables = followed.load(now);
    if (wanted.repairedAtOnce().isEmpty() && tables.failures() >= tuning.mostFailures()) {
      wanted.end(tables.all(), now);
      report.publish(
          "suspended: %s, FailureMaxCount is %d"
              .formatted(Counted.of(tables.failures(), "difference"), tuning.mostFailures()));
      return Optional.empty();
    }
    return Optional.of(tables);
  }

  /** Returns whether the next session is due at once. */
  private boolean runSession(ValidatedTables tables, Instant now) throws InterruptedException {
    Set<TableId> missed = session(tables, now);
    repairAfterSession(tables);
    wanted.sessionEnded(tables.all(), missed);
    wanted.endIfDone(tables.all(), applied.suspended(), results::uncompared, clock.instant());
    return wanted.isRunning() && pace.goesOn();
  }

  /** Nobody waits for the end of a cutover: after it nothing is repaired. */
  private void refuseWaiting() {
    repairs.refuseAll(gate.refusal());
    wanted.refuseAll(gate.refusal());
  }

  /** Returns the tables that the session had no time for. */
  private Set<TableId> session(ValidatedTables tables, Instant now) throws InterruptedException {
    // Also while nothing is due: rows that were touched since the last session are what is next.
    tables.countTouched();
    List<TableId> due = choice.due(tables, tuning.order(), now);
    List<LaneId> lanes = choice.lanes(tables, due, now);
    if (lanes.isEmpty()) {
      run.nothing(now);
      return Set.of();
    }
    return session(choice.next(lanes), tables, due, now);
  }

  private Set<TableId> session(LaneId lane, ValidatedTables tables, List<TableId> due, Instant now)
      throws InterruptedException {
    SessionPlans plans = choice.plans(lane, tables, due, now);
    SessionFindings found = run.run(lane, plans, tables, now);
    if (found.isLagging()) {
      return tables.all().stream().map(TableState::table).collect(Collectors.toSet());
    }
    return found.obstacle().isPresent() ? Set.of() : choice.ended(lane, plans, found.tables());
  }

  /** Repairs what a session has found; after it a session is due that proves it. */
  private void repairAfterSession(ValidatedTables tables) throws InterruptedException {
    Instant began = clock.instant();
    OptionalLong repaired = repairs.afterSession(tables, tuning.repairs(), clock);
    if (repaired.isPresent()) {
      pace.alsoDone(began, repaired.getAsLong() > 0);
    }
  }

  /** Runs rounds for as long as somebody wants them. */
  private void compareTouched() throws InterruptedException {
    for (Optional<TouchedRounds> open = rounds.open(); open.isPresent(); open = rounds.open()) {
      Instant now = clock.instant();
      if (gate.isClosed()) {
        refuseWaiting();
      }
      ValidatedTables tables = followed.load(now);
      tables.countTouched();
      List<LaneId> lanes = choice.lanes(tables, List.of(), now);
      for (LaneId lane : lanes) {
        session(lane, tables, List.of(), now);
      }
      if (lanes.isEmpty()) {
        report.publish("");
        Thread.sleep(IDLE_ROUND.toMillis());
      }
      open.get().roundEnded();
    }
  }
}
