package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.followed.FollowedCoverage;
import dev.sluice.engine.validate.record.PassRecord;
import dev.sluice.engine.validate.schedule.SessionTiming.Ended;
import dev.sluice.engine.validate.schedule.SessionTiming.Pause;
import dev.sluice.engine.validate.session.AppliedKeys;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.sink.control.report.RejectedChanges;
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
  private final Checkpoint claimed;
  private final TouchedKeys touched;
  private final Applied applied;
  private final LaneSessions sessions;
  private final Clock clock;
  private final AppliedKeys keys;
  private final ValidationStore store;
  private final RejectedChanges rejected;
  private final ValidationTuning tuning;
  private final ProgressReport report;
  private final HeldWindows held;
  private final FirstVacuums vacuums;
  private final TrackedTables followed;
  private final WantedPasses wanted = new WantedPasses();
  private final SessionChoice choice;
  private final SessionResults results;
  private final RepairGate gate;
  private final RowRepairs repairs;
  private final PeriodicTask thread;

  /** While it is open only touched rows are compared; null if nobody asks for that. */
  private volatile TouchedRounds touchedRounds;

  private Optional<Ended> last = Optional.empty();

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
    this.claimed = claimed;
    this.touched = touched;
    this.gate = gate;
    this.applied = applied;
    this.sessions = new LaneSessions(context);
    this.clock = clock;
    this.keys = new AppliedKeys(touched, context.config().tableMappings().columns());
    this.rejected = new RejectedChanges(context.controlSchema(), context.task());
    this.store = new ValidationStore(context.target(), context.controlSchema(), context.task());
    this.followed = new TrackedTables(context, store, touched, claimed.position());
    this.tuning = new ValidationTuning(context);
    this.report = new ProgressReport(tuning);
    this.held = new HeldWindows(applied, () -> touchedRounds != null);
    this.vacuums = new FirstVacuums(sessions::prepare);
    RepairBackoff backoff = new RepairBackoff();
    this.choice = new SessionChoice(applied, wanted, backoff, followed::isPending, vacuums);
    this.results =
        new SessionResults(claimed, store, rejectedRows(), touched, wanted, this::mostFailures);
    this.repairs = new RowRepairs(this::writer, gate, applied, wanted, backoff, followed::voided);
    this.thread = new PeriodicTask("sluice-validation", STEP, this::step, this::failed);
  }

  private RejectedDifferences rejectedRows() {
    return new RejectedDifferences(
        new RejectedRows(context.controlSchema(), context.task()),
        context.target(),
        context.config().tableMappings().columns());
  }

  /** What writes the rows of one repair. */
  private Repairs writer() {
    return new Repairs(
        context, claimed, keys, store, limits(DueRepair.MANY), new Repairs.WriteTimes(held, gate));
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
  synchronized TouchedRounds touchedRounds() {
    touchedRounds = new TouchedRounds(this);
    // Who wants them waits for the windows.
    held.end();
    return touchedRounds;
  }

  synchronized void touchedRoundsClosed(TouchedRounds closed) {
    if (touchedRounds == closed) {
      touchedRounds = null;
    }
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
    last = Optional.of(new Ended(clock.instant(), STEP, false));
    publish("the last session failed: " + error.getMessage());
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
    if (followed.isRememberedUnread() && pause(NO_LAG, now).isEmpty()) {
      // Also while the target lags: the journal is kept until this is known.
      followed.load(now);
    }
    boolean more = true;
    while (more && !Thread.currentThread().isInterrupted()) {
      more = stepOnce();
      if (!Thread.currentThread().isInterrupted()) {
        followed.store(applied.suspended(), clock.instant());
      }
    }
  }

  private Optional<Pause> pause(Optional<Duration> lag, Instant now) {
    return tuning.timing(wanted.isRunning()).pause(last, lag, now);
  }

  /** Returns whether the next session is due at once. */
  private boolean stepOnce() {
    try {
      compareTouched();
      if (gate.isClosed()) {
        refuseWaiting();
        return false;
      }
      answerRepairs();
      beginPass();
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
    Optional<Pause> pause = pause(applied.lag(), now);
    if (pause.isPresent()) {
      publish(pause.get().reason());
      return Optional.empty();
    }
    ValidatedTables tables = followed.load(now);
    if (wanted.repairedAtOnce().isEmpty() && tables.failures() >= tuning.mostFailures()) {
      wanted.end(tables.all(), now);
      publish(
          "suspended: %s, FailureMaxCount is %d"
              .formatted(Counted.of(tables.failures(), "difference"), tuning.mostFailures()));
      return Optional.empty();
    }
    return Optional.of(tables);
  }

  /** Returns whether the next session is due at once. */
  private boolean runSession(ValidatedTables tables, Instant now) throws InterruptedException {
    session(tables, now);
    repairAfterSession(tables);
    wanted.endIfDone(tables.all(), applied.suspended(), results::uncompared, clock.instant());
    return wanted.isRunning() && last.filter(Ended::goesOn).isPresent();
  }

  /** Nobody waits for the end of a cutover: after it nothing is repaired. */
  private void refuseWaiting() {
    repairs.refuseAll(gate.refusal());
    wanted.refuseAll(gate.refusal());
  }

  /** Makes the repairs that were asked for, unless no session may begin yet. */
  private void answerRepairs() throws InterruptedException {
    while (repairs.isAsked()) {
      wanted.hurry();
      try {
        Optional<String> early = sessions.obstacle(keys);
        if (early.isPresent()) {
          publish(early.get());
          return;
        }
        repairs.answerNext(followed.load(clock.instant()));
      } catch (RuntimeException e) {
        repairs.refuseNext(e);
      }
    }
  }

  /** Begins the pass that somebody waits for. */
  private void beginPass() {
    Instant now = clock.instant();
    Optional<PassScope> due = wanted.due(now);
    if (due.isEmpty()) {
      return;
    }
    PassScope scope = due.get();
    ValidatedTables tables = followed.load(now);
    try {
      tables.requireReplicated(scope.only());
    } catch (SluiceException e) {
      wanted.refuse(scope, e);
      return;
    }
    if (scope.repairs()) {
      tables.compareAgain(scope);
    }
    wanted.begin(
        scope,
        () -> rejected.newest(context.target()),
        context.source().log()::lastTransaction,
        sessions::recordHead,
        now);
    wanted.running().ifPresent(pass -> tables.readAgain(scope, pass.since()));
    last = Optional.empty();
  }

  /**
   * Repairs what a session has found. Its time counts as the session's; after it a session is due
   * that proves it.
   */
  private void repairAfterSession(ValidatedTables tables) throws InterruptedException {
    Instant began = clock.instant();
    OptionalLong repaired = repairs.afterSession(tables, tuning.repairs(), clock);
    if (repaired.isPresent()) {
      Instant ended = clock.instant();
      boolean any = repaired.getAsLong() > 0;
      last = last.map(session -> session.andThen(Duration.between(began, ended), ended, any));
    }
  }

  /** Runs rounds for as long as somebody wants them. */
  private void compareTouched() throws InterruptedException {
    for (TouchedRounds open = touchedRounds; open != null; open = touchedRounds) {
      Instant now = clock.instant();
      if (gate.isClosed()) {
        refuseWaiting();
      }
      ValidatedTables tables = followed.load(now);
      tables.countTouched();
      List<LaneId> lanes = choice.lanes(tables, List.of(), now);
      for (LaneId lane : lanes) {
        session(tables, now, lane, List.of());
      }
      if (lanes.isEmpty()) {
        publish("");
        Thread.sleep(IDLE_ROUND.toMillis());
      }
      open.roundEnded();
    }
  }

  private void session(ValidatedTables tables, Instant now) throws InterruptedException {
    // Also while nothing is due: rows that were touched since the last session are what is next.
    tables.countTouched();
    List<TableId> due = choice.due(tables, tuning.order(), now);
    List<LaneId> lanes = choice.lanes(tables, due, now);
    if (lanes.isEmpty()) {
      nothingToCompare(now);
    } else {
      session(tables, now, choice.next(lanes), due);
    }
  }

  private void nothingToCompare(Instant now) {
    last = Optional.of(new Ended(now, STEP, false));
    publish("");
  }

  /**
   * @param due the tables of which the next part is read; of the others only touched rows
   */
  private void session(ValidatedTables tables, Instant now, LaneId lane, List<TableId> due)
      throws InterruptedException {
    Position reached = applied.position(lane);
    SessionPlans plans =
        new SessionPlans(
            touched, context.config().tableMappings().columns(), limits().touchedKeys());
    choice
        .ordered(tables, due, now)
        .filter(table -> choice.laneOf(table).equals(lane))
        .forEach(
            table ->
                plans.add(
                    table, due.contains(table.table()), wanted.areListedLookedUp(table), reached));
    if (plans.all().isEmpty()) {
      nothingToCompare(now);
      return;
    }
    SessionFindings found = sessions.run(lane, wanted.recorded(plans.all()), keys, limits());
    Instant ended = clock.instant();
    Duration took = Duration.between(now, ended);
    last = Optional.of(new Ended(ended, took, hasRead(found)));
    LOG.atDebug()
        .addArgument(took.toMillis())
        .addArgument(found::words)
        .log("a session took {} ms: {}");
    if (found.hadNoTime()) {
      wanted.hadNoTime(plans.all().get(0).table());
    }
    if (found.obstacle().isPresent()) {
      publish(found.obstacle().get().why());
      return;
    }
    SessionResults.Compared compared = results.take(withoutSuspended(found), plans, tables, ended);
    report.session(compared.rows(), compared.keys(), took);
    publish("");
  }

  /** A table that was suspended or reloaded since the session began may be empty on the target. */
  private SessionFindings withoutSuspended(SessionFindings found) {
    Set<TableId> suspended = applied.suspended();
    return new SessionFindings(
        found.obstacle(),
        found.proof(),
        found.tables().stream()
            .filter(table -> !suspended.contains(table.table()))
            .filter(table -> !followed.isReplaced(table.table()))
            .toList());
  }

  /** Rows that keep changing, and tables that others have locked, are given some time. */
  private static boolean hasRead(SessionFindings found) {
    return found.tables().stream().anyMatch(table -> !table.chunks().isEmpty());
  }

  /** Also while no session runs: what is touched since the last one is not proven. */
  private void publish(String waiting) {
    report.publish(waiting, followed.counted(), followed.news(), clock.instant());
  }

  private SessionLimits limits() {
    return limits(
        wanted.repairedAtOnce().isPresent() ? DueRepair.MANY : SessionLimits.DEFAULT.differences());
  }

  private SessionLimits limits(int differences) {
    return tuning.limits(differences, wanted.isRunning());
  }

  /** A table that is repaired at once is compared however much of it differs. */
  private int mostFailures(TableId table) {
    return wanted.repairedAtOnce().filter(scope -> scope.has(table)).isPresent()
        ? Integer.MAX_VALUE
        : tuning.mostFailuresOfTable();
  }
}
