package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.validate.followed.FollowedCoverage;
import dev.sluice.engine.validate.followed.Following;
import dev.sluice.engine.validate.record.PassRecord;
import dev.sluice.engine.validate.record.PassTable;
import dev.sluice.engine.validate.schedule.SessionTiming;
import dev.sluice.engine.validate.schedule.SessionTiming.Ended;
import dev.sluice.engine.validate.schedule.SessionTiming.Pause;
import dev.sluice.engine.validate.schedule.TableOrder;
import dev.sluice.engine.validate.session.AppliedKeys;
import dev.sluice.engine.validate.session.RowDifference;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.SessionLimits;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.engine.validate.session.TablePlan;
import dev.sluice.sink.control.report.RejectedChanges;
import dev.sluice.sink.control.report.RejectedRows;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.Uncompared;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the replicated tables of both sides while changes are applied: a thread that runs one
 * short session after the other. It never stops the task: a session that fails is tried again.
 * Started and ended with the replication; its progress may be read from any thread.
 */
public final class ContinuousValidation implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ContinuousValidation.class);
  private static final Duration STEP = Duration.ofMillis(200);

  /** The pause where nothing is touched. */
  private static final Duration IDLE_ROUND = Duration.ofMillis(10);

  private static final int MOST_WAITING = 100_000;

  private static final Optional<Duration> NO_LAG = Optional.of(Duration.ZERO);

  private static final Duration CATALOG_AGE = Duration.ofSeconds(60);

  /** What the validation asks of the running replication. */
  public interface Applied {
    /** The lane that applies a table's changes. */
    LaneId laneOf(TableId target);

    /** Up to where a lane has applied the changes. */
    Position position(LaneId lane);

    /** Up to where every lane has applied the journal. */
    JournalOffset reached();

    /** How far the target is behind the source; empty if it is not known yet. */
    Optional<Duration> lag();

    /** The tables that no lane applies at present, by their names on the source. */
    Set<TableId> suspended();

    /**
     * Keeps a lane between two windows: once a window has reached the position, none is begun,
     * until it is released or the time is over. The source, the capture and the journal go on.
     */
    void hold(LaneId lane, Position from, Duration longest);

    /** Windows of all lanes follow each other again. */
    void release();
  }

  private final TaskContext context;
  private final Checkpoint claimed;
  private final TouchedKeys touched;
  private final Applied applied;
  private final SessionRunner sessions;
  private final Clock clock;
  private final AppliedKeys keys;
  private final ValidationStore store;
  private final RejectedChanges rejected;
  private final RejectedDifferences rejectedRows;
  private final HeldWindows held;
  private final FirstVacuums vacuums;
  private final PeriodicTask thread;

  private final Queue<RepairRequest> requests = new ConcurrentLinkedQueue<>();
  private final PassRequests passes = new PassRequests();
  private final RepairBackoff backoff = new RepairBackoff();

  /** Tables whose rows were loaded again. */
  private final Queue<TableId> replaced = new ConcurrentLinkedQueue<>();

  /** Rows that were repaired since the start. */
  private long repaired;

  /** What is remembered across restarts; empty if the validation runs only on demand. */
  private Optional<FollowedCoverage> followed = Optional.empty();

  private Following following;
  private RepairGate gate;

  private boolean onDemand;
  private Optional<ResyncPasses> resync = Optional.empty();

  /** While it is open only touched rows are compared; null if nobody asks for that. */
  private volatile TouchedRounds touchedRounds;

  /** The pass that somebody waits for; null if nobody does. */
  private ValidationPass pass;

  private ValidatedTables tables;
  private Optional<Instant> catalogRead = Optional.empty();
  private Optional<Ended> last = Optional.empty();
  private Optional<LaneId> lastLane = Optional.empty();
  private volatile ValidationProgress progress = ValidationProgress.NONE;

  ContinuousValidation(
      TaskContext context,
      Checkpoint claimed,
      TouchedKeys touched,
      Applied applied,
      SessionRunner sessions,
      Clock clock) {
    this.context = context;
    this.claimed = claimed;
    this.following = Following.from(claimed.position());
    this.touched = touched;
    this.applied = applied;
    this.sessions = sessions;
    this.clock = clock;
    this.keys = new AppliedKeys(touched, context.config().tableMappings().columns());
    this.rejected = new RejectedChanges(context.controlSchema(), context.task());
    this.rejectedRows =
        new RejectedDifferences(
            new RejectedRows(context.controlSchema(), context.task()),
            context.target(),
            context.config().tableMappings().columns());
    this.store = new ValidationStore(context.target(), context.controlSchema(), context.task());
    this.held = new HeldWindows(applied, () -> touchedRounds != null);
    this.vacuums = new FirstVacuums(sessions::prepare);
    this.thread = new PeriodicTask("sluice-validation", STEP, this::step, this::failed);
  }

  void start() {
    PassRecord.deleteLeft(context.config().dataDir(), clock.instant());
    thread.start();
  }

  public ValidationProgress progress() {
    return progress;
  }

  /** Ends the session in flight; what it found is not stored. Idempotent. */
  @Override
  public void close() {
    thread.close();
    vacuums.close();
    followed.ifPresent(FollowedCoverage::close);
    requests.forEach(
        request ->
            request
                .answer()
                .completeExceptionally(
                    new SluiceException.Retryable("the replication is ending", null)));
    passes.close();
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

  /** From now on sessions run only while somebody waits for a pass. Called before the start. */
  void onlyOnDemand() {
    onDemand = true;
    // What an earlier validation of this daemon has read was not followed since.
    following = Following.from(context.source().log().current());
  }

  /** Whether rows may be repaired. Called before the start. */
  void under(RepairGate repairs) {
    gate = repairs;
  }

  /** From now on it is remembered which tables are followed. Called before the start. */
  void remember(FollowedCoverage across) {
    followed = Optional.of(across);
    following = across;
  }

  /** Since when changes are recorded. Called before the start. */
  void recordedFrom(Position position) {
    following = Following.from(position);
  }

  /** The rows of a table are loaded again: what was read of them counts no longer. Any thread. */
  void rowsReplaced(TableId table) {
    replaced.add(table);
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

  /** From now on passes run and what differs is repaired at once. Called before the start. */
  void resync(ResyncPasses passes) {
    resync = Optional.of(passes);
  }

  /**
   * Reads tables once, in sessions back to back; waits for the result.
   *
   * @param record the file for the record of the pass; empty without one
   * @throws SluiceException if the validation ends meanwhile, or a table is not replicated
   */
  PassResult pass(PassScope scope, Optional<Path> record) throws InterruptedException {
    return await(passes.add(scope, record));
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

  /** Begins the pass that somebody has asked for, and ends it when every table is compared. */
  private void followPass() {
    Instant now = clock.instant();
    boolean resyncs = resync.filter(wanted -> wanted.isDue(now)).isPresent();
    Optional<PassScope> asked = passes.next();
    if (pass != null || !resyncs && asked.isEmpty()) {
      return;
    }
    load(now);
    PassScope scope = asked.orElse(PassScope.ALL);
    try {
      requireReplicated(scope.only());
    } catch (SluiceException e) {
      passes.refuse(scope, e);
      return;
    }
    resync
        .filter(any -> scope.equals(PassScope.ALL))
        .ifPresent(begun -> begun.begun(rejected.newest(context.target())));
    if (scope.repairs()) {
      tables.compareAgain(scope);
    }
    pass = new ValidationPass(scope, context.source().log().current());
    passes.begin(scope, () -> sessions.recordHead(pass.since()), now);
    last = Optional.empty();
  }

  private void endPass() {
    if (pass != null) {
      pass.suspended(applied.suspended());
      pass.ended(tables.all());
      pass.unlisted().forEach(table -> pass.awaits(table, uncompared(table)));
      if (pass.isDone(tables.all())) {
        completePass();
      }
    }
  }

  private void completePass() {
    PassResult result = pass.result(tables.all());
    List<PassTable> ofTables = pass.tables(tables.all());
    boolean ofAll = pass.scope().equals(PassScope.ALL);
    pass = null;
    resync
        .filter(any -> ofAll)
        .ifPresent(of -> of.ended(result, tables.all().size(), clock.instant()));
    passes.complete(ofTables, result, clock.instant());
  }

  /**
   * Repairs the listed rows, by the thread of the validation; waits for it.
   *
   * @param only the tables; empty: all that have listed rows
   * @param deleteExtra whether rows that only the target has are deleted
   * @return a line for each table
   * @throws SluiceException if a table is unknown, or the repair failed
   */
  public List<String> repair(List<TableId> only, boolean deleteExtra) throws InterruptedException {
    RepairRequest request = new RepairRequest(only, deleteExtra, new CompletableFuture<>());
    requests.add(request);
    return await(request.answer());
  }

  private record RepairRequest(
      List<TableId> only, boolean deleteExtra, CompletableFuture<List<String>> answer) {}

  /** Returns whether it is answered: not before a session may begin. */
  private boolean answer(RepairRequest request) throws InterruptedException {
    resync.ifPresent(ResyncPasses::hurry);
    try {
      Optional<String> early = sessions.obstacle(keys);
      if (early.isPresent()) {
        publish(early.get());
        return false;
      }
      load(clock.instant());
      requireReplicated(request.only());
      request
          .answer()
          .complete(
              repairTables(
                  tables.all().stream()
                      .filter(table -> !table.failures().isEmpty())
                      .map(TableState::table)
                      .filter(table -> request.only().isEmpty() || request.only().contains(table))
                      .toList(),
                  row -> true,
                  request.deleteExtra()));
    } catch (RuntimeException e) {
      request.answer().completeExceptionally(e);
    }
    return true;
  }

  private void requireReplicated(Collection<TableId> names) {
    List<TableId> unknown = names.stream().filter(table -> tables.get(table) == null).toList();
    if (!unknown.isEmpty()) {
      throw new SluiceException.Fatal(
          unknown.stream()
              .map(
                  table ->
                      new Problem(
                          "table " + table,
                          "is not replicated",
                          "a replicated table",
                          "Name it as sluice status does"))
              .toList());
    }
  }

  private List<String> repairTables(
      List<TableId> which, Predicate<RowFailure> wanted, boolean deleteExtra)
      throws InterruptedException {
    Repairs repairs =
        new Repairs(
            context,
            claimed,
            keys,
            store,
            limits(DueRepair.MANY),
            new Repairs.WriteTimes(held, gate));
    gate.enter();
    try {
      return repairTables(repairs, which, wanted, deleteExtra);
    } finally {
      gate.leave();
    }
  }

  private List<String> repairTables(
      Repairs repairs, List<TableId> which, Predicate<RowFailure> wanted, boolean deleteExtra)
      throws InterruptedException {
    List<String> done = new ArrayList<>();
    Set<TableId> suspended = applied.suspended();
    for (TableId table : which) {
      if (suspended.contains(table)) {
        done.add(
            "%s: 0 rows repaired, %d left: it is suspended, reloaded or catching up"
                .formatted(table, tables.get(table).failures().size()));
        continue;
      }
      try {
        done.add(repairs.repair(tables, table, laneOf(tables.get(table)), wanted, deleteExtra));
      } finally {
        followed.ifPresent(across -> across.voided(table));
      }
    }
    repaired += repairs.repaired();
    resync.ifPresent(of -> of.repaired(repairs.repaired()));
    if (pass != null) {
      pass.repaired(repairs.repaired());
    }
    return done;
  }

  /**
   * Repairs what a session has found, if the pass or the settings say so. Its time counts as the
   * session's; after it a session is due that proves it.
   */
  private void repairAfterSession() throws InterruptedException {
    long before = repaired;
    Instant began = clock.instant();
    List<DueRepair> due =
        repairedAtOnce()
            .map(
                scope ->
                    DueRepair.atOnce(
                        scope,
                        Optional.ofNullable(pass),
                        tables.all(),
                        row -> backoff.isLeft(row, began)))
            .orElseGet(
                () ->
                    DueRepair.byPolicy(
                        live(SluiceSettings.VALIDATION_REPAIR),
                        tables.all(),
                        row -> backoff.isHeld(row, began)));
    for (DueRepair each : due) {
      if (gate.isClosed()) {
        return;
      }
      try {
        repairTables(List.of(each.table()), each.rows(), each.deleteExtra());
      } finally {
        TableState table = tables.get(each.table());
        backoff.tried(each.table(), each.of(table), table.failures(), clock.instant());
      }
    }
    if (!due.isEmpty()) {
      Instant ended = clock.instant();
      boolean any = repaired > before;
      last = last.map(session -> session.andThen(Duration.between(began, ended), ended, any));
    }
  }

  /** Of which tables every row is repaired that was seen to differ; empty if none. */
  private Optional<PassScope> repairedAtOnce() {
    return resync
        .map(ResyncPasses::scope)
        .or(() -> Optional.ofNullable(pass).map(ValidationPass::scope).filter(PassScope::repairs));
  }

  /** Sessions of a pass run back to back while they get further. */
  private void step() {
    Instant now = clock.instant();
    if (followed.isPresent() && tables == null && timing().pause(last, NO_LAG, now).isEmpty()) {
      // Also while the target lags: the journal is kept until this is known.
      load(now);
    }
    boolean more = true;
    while (more && !Thread.currentThread().isInterrupted()) {
      more = stepOnce();
      if (tables != null && !Thread.currentThread().isInterrupted()) {
        followed.ifPresent(this::remembered);
      }
    }
  }

  /** Stores which tables are followed now. */
  private void remembered(FollowedCoverage across) {
    Set<TableId> suspended = applied.suspended();
    across.advance(
        clock.instant(),
        tables.all().stream()
            .filter(table -> !suspended.contains(table.table()))
            .filter(table -> !replaced.contains(table.table()))
            .flatMap(table -> table.readSince().stream())
            .toList(),
        table -> !replaced.contains(table));
  }

  /** Returns whether the next session is due at once. */
  private boolean stepOnce() {
    try {
      compareTouched();
      if (gate.isClosed()) {
        refuseWaiting();
        return false;
      }
      for (RepairRequest request = requests.peek();
          request != null && answer(request);
          request = requests.peek()) {
        requests.remove(request);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    followPass();
    if ((onDemand || resync.isPresent()) && pass == null) {
      return false;
    }
    Instant now = clock.instant();
    Optional<Pause> pause = timing().pause(last, applied.lag(), now);
    if (pause.isPresent()) {
      publish(pause.get().reason());
      return false;
    }
    load(now);
    if (repairedAtOnce().isEmpty()
        && tables.failures() >= setting(ValidationSettings.FAILURE_MAX_COUNT)) {
      if (pass != null) {
        completePass();
      }
      publish(
          "suspended: %s, FailureMaxCount is %d"
              .formatted(
                  Counted.of(tables.failures(), "difference"),
                  setting(ValidationSettings.FAILURE_MAX_COUNT)));
      return false;
    }
    try {
      session(now);
      repairAfterSession();
      endPass();
      return pass != null && last.filter(Ended::goesOn).isPresent();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Nobody waits for the end of a cutover: after it nothing is repaired. */
  private void refuseWaiting() {
    for (RepairRequest request = requests.poll(); request != null; request = requests.poll()) {
      request.answer().completeExceptionally(gate.refusal());
    }
    passes.refuseAll(gate.refusal());
  }

  /** Runs rounds for as long as somebody wants them. */
  private void compareTouched() throws InterruptedException {
    for (TouchedRounds open = touchedRounds; open != null; open = touchedRounds) {
      Instant now = clock.instant();
      if (gate.isClosed()) {
        refuseWaiting();
      }
      load(now);
      tables.countTouched();
      List<LaneId> lanes = lanes(List.of());
      for (LaneId lane : lanes) {
        session(now, lane, List.of());
      }
      if (lanes.isEmpty()) {
        publish("");
        Thread.sleep(IDLE_ROUND.toMillis());
      }
      open.roundEnded();
    }
  }

  /** Reads what is stored, once, and now and then the tables of the source. */
  private void load(Instant now) {
    if (tables == null) {
      tables =
          new ValidatedTables(
              context.config().tableMappings(),
              context.config().taskSettings(),
              touched,
              following,
              store.coverage().values(),
              store.failures());
    }
    if (catalogRead.filter(read -> read.plus(CATALOG_AGE).isAfter(now)).isEmpty()) {
      tables.replicated(context.followed(context.steps().all(context.task())).tables());
      catalogRead = Optional.of(now);
      Set<TableId> names = tables.all().stream().map(TableState::table).collect(Collectors.toSet());
      followed.ifPresent(
          across -> {
            across.begin(names, tables.all().stream().anyMatch(TableState::wasRead));
            across.retain(names);
          });
    }
    for (TableId table = replaced.poll(); table != null; table = replaced.poll()) {
      tables.readAgain(table);
    }
  }

  private void session(Instant now) throws InterruptedException {
    // Also while nothing is due: rows that were touched since the last session are what is next.
    tables.countTouched();
    List<TableId> due = due(now);
    List<LaneId> lanes = lanes(due);
    if (lanes.isEmpty()) {
      last = Optional.of(new Ended(now, STEP, false));
      publish("");
      return;
    }
    LaneId lane = next(lanes);
    lastLane = Optional.of(lane);
    session(now, lane, due);
  }

  /**
   * @param due the tables of which the next part is read; of the others only touched rows
   */
  private void session(Instant now, LaneId lane, List<TableId> due) throws InterruptedException {
    Position reached = applied.position(lane);
    TablePlans plans =
        new TablePlans(touched, context.config().tableMappings().columns(), limits().touchedKeys());
    ordered(due)
        .filter(table -> laneOf(table).equals(lane))
        .forEach(
            table ->
                plans.add(table, due.contains(table.table()), areListedLookedUp(table), reached));
    if (plans.all().isEmpty()) {
      last = Optional.of(new Ended(now, STEP, false));
      publish("");
      return;
    }
    SessionFindings found =
        sessions.run(
            lane,
            passes.isRecorded()
                ? plans.all().stream().map(TablePlan::withRechecks).toList()
                : plans.all(),
            keys,
            limits());
    Instant ended = clock.instant();
    last = Optional.of(new Ended(ended, Duration.between(now, ended), hasRead(found)));
    LOG.atDebug()
        .addArgument(Duration.between(now, ended).toMillis())
        .addArgument(() -> words(found))
        .log("a session took {} ms: {}");
    if (found.obstacle().isPresent()) {
      publish(found.obstacle().get().why());
      return;
    }
    take(withoutSuspended(found), plans, ended);
  }

  /** What a session has done, for the log. */
  private static String words(SessionFindings found) {
    return found
        .obstacle()
        .map(SessionFindings.Obstacle::why)
        .orElseGet(
            () ->
                found.tables().stream()
                    .map(
                        table ->
                            "%s %s, %d chunks, %d keys equal, %d left out, %d rows differ"
                                .formatted(
                                    table.table(),
                                    table.end(),
                                    table.chunks().size(),
                                    table.equalKeys().size(),
                                    table.hotKeys().size(),
                                    table.differences().size()))
                    .collect(Collectors.joining("; ")));
  }

  /**
   * Rows that are repaired at once are looked up when their table is read to its end, or if they
   * are many.
   */
  private boolean areListedLookedUp(TableState table) {
    return pass == null
        || !pass.scope().repairs() && resync.isEmpty()
        || !pass.needs(table)
        || table.coverage().running().isEmpty()
        || table.failures().size() >= DueRepair.MANY;
  }

  /** A table that was suspended or reloaded since the session began may be empty on the target. */
  private SessionFindings withoutSuspended(SessionFindings found) {
    Set<TableId> suspended = applied.suspended();
    return new SessionFindings(
        found.obstacle(),
        found.proof(),
        found.tables().stream()
            .filter(table -> !suspended.contains(table.table()))
            .filter(table -> !replaced.contains(table.table()))
            .toList());
  }

  /** Rows that keep changing, and tables that others have locked, are given some time. */
  private static boolean hasRead(SessionFindings found) {
    return found.tables().stream().anyMatch(table -> !table.chunks().isEmpty());
  }

  /** Each lane in its turn: one whose rows differ for long must not keep the others waiting. */
  private LaneId next(List<LaneId> lanes) {
    int last = lastLane.map(lanes::indexOf).orElse(-1);
    return lanes.get((last + 1) % lanes.size());
  }

  /** The first read of fresh rows would write as much log as it reads. */
  private boolean isPrepared(TableId table) {
    TableCoverage coverage = tables.get(table).coverage();
    return !coverage.equals(TableCoverage.none(table, coverage.shape())) || vacuums.isDone(table);
  }

  /** The tables whose next part is to be read, the most urgent first. */
  private List<TableId> due(Instant now) {
    Set<TableId> suspended = applied.suspended();
    TableOrder order = new TableOrder(Duration.ofHours(live(SluiceSettings.MAX_PROOF_AGE)));
    return order
        .due(
            tables.all().stream()
                .filter(table -> !suspended.contains(table.table()) && table.exempt().isEmpty())
                .filter(this::isRead)
                .map(TableState::coverage)
                .toList(),
            table -> mustBeReadAgain(tables.get(table.table())),
            now)
        .stream()
        .filter(this::isPrepared)
        .toList();
  }

  /** Without EnableValidation only what somebody waits for is read. */
  private boolean isRead(TableState table) {
    return !onDemand || pass == null || pass.scope().has(table.table());
  }

  private boolean mustBeReadAgain(TableState table) {
    return table.mustBeReadAgain() && !following.isPending(table.table())
        || pass != null && pass.needs(table);
  }

  private SessionTiming timing() {
    return new SessionTiming(dutyCycle(), live(SluiceSettings.VALIDATION_LAG_LIMIT));
  }

  private int dutyCycle() {
    return pass == null ? live(SluiceSettings.VALIDATION_DUTY_CYCLE) : 100;
  }

  private List<LaneId> lanes(List<TableId> due) {
    return ordered(due).map(this::laneOf).distinct().toList();
  }

  /**
   * The tables with rows that a repair has left, since it waits for what a session says of them;
   * the tables that are due, in their order; and then those that may have touched rows.
   */
  private Stream<TableState> ordered(List<TableId> due) {
    Set<TableId> suspended = applied.suspended();
    Instant now = clock.instant();
    List<TableState> others =
        tables.all().stream()
            .filter(table -> table.touched() > 0 || !table.failures().isEmpty())
            .filter(this::isRead)
            .filter(table -> !suspended.contains(table.table()))
            .toList();
    return Stream.of(
            others.stream()
                .filter(table -> repairedAtOnce().isPresent() && areListedLookedUp(table))
                .filter(
                    table ->
                        table.failures().stream().anyMatch(row -> backoff.isAwaited(row, now))),
            due.stream().map(tables::get),
            others.stream())
        .flatMap(each -> each)
        .distinct();
  }

  private LaneId laneOf(TableState table) {
    return applied.laneOf(table.target());
  }

  private void take(SessionFindings found, TablePlans plans, Instant now) {
    Proof proof = found.proof().orElseThrow();
    List<TableFindings> counting =
        found.tables().stream().filter(table -> table.end() != End.REFUSED).toList();
    List<Outcome> outcomes =
        counting.stream()
            .map(table -> tables.outcome(table, proof, now, mostFailures(table.table())))
            .map(rejectedRows::noted)
            .toList();
    if (pass != null) {
      found.tables().forEach(pass::ended);
    }
    store.store(claimed, outcomes);
    passes.add(found, now);
    long rows = 0;
    long looked = 0;
    for (int i = 0; i < counting.size(); i++) {
      TableFindings table = counting.get(i);
      Optional<CompletePass> before = tables.get(table.table()).coverage().complete();
      tables.stored(table, outcomes.get(i));
      Optional<CompletePass> complete = outcomes.get(i).now().complete();
      if (!complete.equals(before)) {
        complete.ifPresent(read -> completed(table.table(), read));
      }
      compared(table, plans, proof.target());
      rows += table.chunks().stream().mapToLong(chunk -> chunk.source().rows()).sum();
      looked += table.equalKeys().size();
    }
    found.tables().stream()
        .filter(table -> table.end() == End.REFUSED)
        .forEach(
            table ->
                tables.stored(
                    table,
                    new Outcome(tables.get(table.table()).coverage(), List.of(), List.of())));
    progress =
        new ValidationProgress(
            "",
            progress.sessions() + 1,
            progress.rows() + rows,
            progress.keys() + looked,
            last.map(Ended::took),
            progress.tables(),
            progress.start());
    publish("");
  }

  /** Also rows of transactions that are not applied yet: they may have been left out before. */
  private Uncompared uncompared(TableId table) {
    return touched.uncompared(table, MOST_WAITING, Position.MAX);
  }

  private void completed(TableId table, CompletePass complete) {
    touched.readAll(table, complete.position());
    if (pass != null) {
      pass.completed(tables.get(table), uncompared(table));
    }
    TableState state = tables.get(table);
    LOG.info(
        "validated {}: {}, {}; read from {} on",
        table,
        Counted.of(complete.rows(), "row"),
        state.failures().isEmpty()
            ? "all equal"
            : Counted.of(state.failures().size(), "difference"),
        complete.position());
  }

  /** What was looked up and did not keep changing is compared; differences are listed. */
  private void compared(TableFindings table, TablePlans plans, Position upTo) {
    if (table.end() != End.VOID) {
      List<RowKey> all = new ArrayList<>(table.equalKeys());
      table.differences().stream().map(RowDifference::key).forEach(all::add);
      List<Row> rows = plans.rowsOf(table.table(), all);
      touched.compared(table.table(), rows, upTo);
      if (pass != null) {
        pass.compared(table.table(), rows);
      }
    }
  }

  private void publish(String waiting) {
    Instant now = clock.instant();
    if (tables != null) {
      // Also while no session runs: what is touched since the last one is not proven.
      tables.countTouched();
    }
    TableOrder order = new TableOrder(Duration.ofHours(live(SluiceSettings.MAX_PROOF_AGE)));
    Duration delay = Duration.ofMinutes(setting(ValidationSettings.RECORD_SUSPEND_DELAY));
    progress =
        new ValidationProgress(
            waiting,
            progress.sessions(),
            progress.rows(),
            progress.keys(),
            progress.lastTook(),
            tables == null
                ? List.of()
                : tables.all().stream()
                    .map(table -> ofTable(table, order, delay, now))
                    .collect(Collectors.toList()),
            followed.map(FollowedCoverage::news).orElse(""));
  }

  private static ValidationProgress.OfTable ofTable(
      TableState table, TableOrder order, Duration delay, Instant now) {
    TableCoverage coverage = table.coverage();
    return new ValidationProgress.OfTable(
        table.table(),
        table.state(delay, order.isTooOld(coverage, now), now).text(),
        coverage
            .complete()
            .map(pass -> new ValidationProgress.Read(pass.at(), pass.position(), pass.rows())),
        coverage
            .running()
            .map(pass -> new ValidationProgress.Read(pass.beganAt(), pass.position(), pass.rows())),
        table.followed(),
        table.touched(),
        table.failed(),
        table.rejected(),
        table.pending(delay, now),
        table.suspended(delay, now),
        table.notCompared(),
        table
            .exempt()
            .or(() -> Optional.of(coverage.suspended()).filter(why -> !why.isEmpty()))
            .or(table::problem));
  }

  private SessionLimits limits() {
    return limits(
        repairedAtOnce().isPresent() ? DueRepair.MANY : SessionLimits.DEFAULT.differences());
  }

  private SessionLimits limits(int differences) {
    SessionLimits defaults = SessionLimits.DEFAULT;
    return new SessionLimits(
        live(SluiceSettings.VALIDATION_SNAPSHOT_AGE),
        setting(ValidationSettings.PARTITION_SIZE),
        defaults.touchedKeys(),
        differences,
        defaults.keysLeftOut(),
        defaults.checkpointTimeout(),
        pass == null ? 1 : setting(ValidationSettings.THREAD_COUNT));
  }

  /** A table that is repaired at once is compared however much of it differs. */
  private int mostFailures(TableId table) {
    return repairedAtOnce().filter(scope -> scope.has(table)).isPresent()
        ? Integer.MAX_VALUE
        : setting(ValidationSettings.TABLE_FAILURE_MAX_COUNT);
  }

  private <T> T setting(Setting<T> setting) {
    return context.config().taskSettings().get(setting);
  }

  private <T> T live(Setting<T> setting) {
    return context.live().snapshot().running().inEffect().get(setting);
  }
}
