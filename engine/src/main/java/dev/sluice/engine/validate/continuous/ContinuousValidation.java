package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.RepairPolicy;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.context.PeriodicTask;
import dev.sluice.engine.context.TaskContext;
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
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.validation.FailureKind;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.ValidationStore;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.touched.TouchedKeys;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
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
  private static final int MOST_WAITING = 100_000;
  private static final Duration CATALOG_AGE = Duration.ofSeconds(60);

  /** What the validation asks of the running replication. */
  public interface Applied {
    /** The lane that applies a table's changes. */
    LaneId laneOf(TableId target);

    /** Up to where a lane has applied the changes. */
    Position position(LaneId lane);

    /** How far the target is behind the source; empty if it is not known yet. */
    Optional<Duration> lag();

    /** The tables that no lane applies at present, by their names on the source. */
    Set<TableId> suspended();
  }

  private final TaskContext context;
  private final Checkpoint claimed;
  private final TouchedKeys touched;
  private final Applied applied;
  private final SessionRunner sessions;
  private final Clock clock;
  private final AppliedKeys keys;
  private final ValidationStore store;
  private final PeriodicTask thread;

  private final Queue<RepairRequest> requests = new ConcurrentLinkedQueue<>();
  private final Queue<CompletableFuture<PassResult>> passes = new ConcurrentLinkedQueue<>();
  private boolean onDemand;

  /** The pass that somebody waits for; null if nobody does. */
  private ValidationPass pass;

  private ValidatedTables tables;
  private Optional<Instant> catalogRead = Optional.empty();
  private Optional<Ended> last = Optional.empty();
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
    this.touched = touched;
    this.applied = applied;
    this.sessions = sessions;
    this.clock = clock;
    this.keys = new AppliedKeys(touched, context.config().tableMappings().columns());
    this.store = new ValidationStore(context.target(), context.controlSchema(), context.task());
    this.thread = new PeriodicTask("sluice-validation", STEP, this::step, this::failed);
  }

  void start() {
    thread.start();
  }

  public ValidationProgress progress() {
    return progress;
  }

  /** Ends the session in flight; what it found is not stored. Idempotent. */
  @Override
  public void close() {
    thread.close();
    requests.forEach(
        request ->
            request
                .answer()
                .completeExceptionally(
                    new SluiceException.Retryable("the replication is ending", null)));
    passes.forEach(
        answer ->
            answer.completeExceptionally(
                new SluiceException.Retryable("the replication is ending", null)));
  }

  private void failed(RuntimeException error) {
    last = Optional.of(new Ended(clock.instant(), STEP, true));
    publish("the last session failed: " + error.getMessage());
    if (error instanceof SluiceException.Fenced) {
      LOG.info("validation ends: {}", error.getMessage());
    } else {
      LOG.warn("a session of the validation failed and is tried again: {}", error.getMessage());
    }
  }

  /** From now on sessions run only while somebody waits for a pass. Called before the start. */
  void onlyOnDemand() {
    onDemand = true;
  }

  /**
   * Reads every table once, in sessions back to back; waits for the result.
   *
   * @throws SluiceException if the validation ends meanwhile
   */
  PassResult pass() throws InterruptedException {
    CompletableFuture<PassResult> answer = new CompletableFuture<>();
    passes.add(answer);
    return await(answer);
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
    if (pass == null && !passes.isEmpty()) {
      load(clock.instant());
      pass = new ValidationPass(context.source().log().current());
      last = Optional.empty();
    }
  }

  private void endPass() {
    if (pass != null) {
      pass.ended(tables.all());
      if (pass.isDone(tables.all())) {
        PassResult result = pass.result(tables.all());
        pass = null;
        for (CompletableFuture<PassResult> answer = passes.poll();
            answer != null;
            answer = passes.poll()) {
          answer.complete(result);
        }
      }
    }
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

  private void answer(RepairRequest request) throws InterruptedException {
    try {
      load(clock.instant());
      List<TableId> unknown =
          request.only().stream().filter(table -> tables.get(table) == null).toList();
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
      request
          .answer()
          .complete(
              repairTables(
                  tables.all().stream()
                      .filter(table -> !table.failures().isEmpty())
                      .map(TableState::table)
                      .filter(table -> request.only().isEmpty() || request.only().contains(table))
                      .toList(),
                  request.deleteExtra()));
    } catch (RuntimeException e) {
      request.answer().completeExceptionally(e);
    }
  }

  private List<String> repairTables(List<TableId> which, boolean deleteExtra)
      throws InterruptedException {
    Repairs repairs = new Repairs(context, claimed, keys, store, limits());
    List<String> done = new ArrayList<>();
    for (TableId table : which) {
      done.add(repairs.repair(tables, table, laneOf(tables.get(table)), deleteExtra));
    }
    return done;
  }

  /** Repairs what is confirmed, if the settings say so. */
  private void repairByPolicy() throws InterruptedException {
    RepairPolicy policy = live(SluiceSettings.VALIDATION_REPAIR);
    boolean deleteExtra = policy == RepairPolicy.REPAIR_AND_DELETE_EXTRA;
    if (policy != RepairPolicy.NONE) {
      repairTables(
          tables.all().stream()
              .filter(
                  table ->
                      table.failures().stream()
                          .filter(RowFailure::isConfirmed)
                          .anyMatch(row -> deleteExtra || row.kind() != FailureKind.MISSING_SOURCE))
              .map(TableState::table)
              .toList(),
          deleteExtra);
    }
  }

  private void step() {
    try {
      for (RepairRequest request = requests.poll(); request != null; request = requests.poll()) {
        answer(request);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    followPass();
    if (onDemand && pass == null) {
      return;
    }
    Instant now = clock.instant();
    Optional<Pause> pause =
        new SessionTiming(dutyCycle(), live(SluiceSettings.VALIDATION_LAG_LIMIT))
            .pause(last, applied.lag(), now);
    if (pause.isPresent()) {
      publish(pause.get().reason());
      return;
    }
    load(now);
    if (tables.failures() >= setting(ValidationSettings.FAILURE_MAX_COUNT)) {
      publish(
          "suspended: %s, FailureMaxCount is %d"
              .formatted(
                  Counted.of(tables.failures(), "difference"),
                  setting(ValidationSettings.FAILURE_MAX_COUNT)));
      return;
    }
    try {
      session(now);
      repairByPolicy();
      endPass();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
              claimed.position(),
              store.coverage().values(),
              store.failures());
    }
    if (catalogRead.filter(read -> read.plus(CATALOG_AGE).isAfter(now)).isEmpty()) {
      tables.replicated(context.followed(context.steps().all(context.task())).tables());
      catalogRead = Optional.of(now);
    }
  }

  private void session(Instant now) throws InterruptedException {
    List<TableId> due = due(now);
    List<LaneId> lanes = lanes(due);
    if (lanes.isEmpty()) {
      last = Optional.of(new Ended(now, STEP, true));
      publish("");
      return;
    }
    LaneId lane = lanes.get(0);
    Position reached = applied.position(lane);
    tables.countTouched(reached);
    TablePlans plans =
        new TablePlans(touched, context.config().tableMappings().columns(), limits().touchedKeys());
    ordered(due)
        .filter(table -> laneOf(table).equals(lane))
        .forEach(table -> plans.add(table, due.contains(table.table()), reached));
    if (plans.all().isEmpty()) {
      last = Optional.of(new Ended(now, STEP, true));
      publish("");
      return;
    }
    plans.all().stream()
        .filter(plan -> tables.get(plan.table()).coverage().equals(unread(plan.table())))
        .forEach(sessions::prepare);
    SessionFindings found = sessions.run(lane, plans.all(), keys, limits());
    Instant ended = clock.instant();
    last = Optional.of(new Ended(ended, Duration.between(now, ended), false));
    if (found.obstacle().isPresent()) {
      publish(found.obstacle().get().why());
      return;
    }
    take(found, plans, ended);
  }

  private TableCoverage unread(TableId table) {
    return TableCoverage.none(table, tables.get(table).coverage().shape());
  }

  /** The tables whose next part is to be read, the most urgent first. */
  private List<TableId> due(Instant now) {
    Set<TableId> suspended = applied.suspended();
    TableOrder order = new TableOrder(Duration.ofHours(live(SluiceSettings.MAX_PROOF_AGE)));
    return order.due(
        tables.all().stream()
            .filter(table -> !suspended.contains(table.table()) && table.exempt().isEmpty())
            .map(TableState::coverage)
            .toList(),
        table -> mustBeReadAgain(tables.get(table.table())),
        now);
  }

  private boolean mustBeReadAgain(TableState table) {
    return table.mustBeReadAgain() || pass != null && pass.needs(table);
  }

  private int dutyCycle() {
    return pass == null ? live(SluiceSettings.VALIDATION_DUTY_CYCLE) : 100;
  }

  private List<LaneId> lanes(List<TableId> due) {
    return ordered(due).map(this::laneOf).distinct().toList();
  }

  /** The tables that are due, in their order, and then those that may have touched rows. */
  private Stream<TableState> ordered(List<TableId> due) {
    Set<TableId> suspended = applied.suspended();
    return Stream.concat(
            due.stream().map(tables::get),
            tables.all().stream()
                .filter(table -> table.touched() > 0 || !table.failures().isEmpty())
                .filter(table -> !suspended.contains(table.table())))
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
        counting.stream().map(table -> tables.outcome(table, proof, now)).toList();
    store.store(claimed, outcomes);
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
    tables.countTouched(proof.target());
    progress =
        new ValidationProgress(
            "",
            progress.sessions() + 1,
            progress.rows() + rows,
            progress.keys() + looked,
            last.map(Ended::took),
            progress.tables());
    publish("");
  }

  private void completed(TableId table, CompletePass complete) {
    touched.readAll(table, complete.position());
    if (pass != null) {
      pass.completed(
          table,
          touched
              .uncompared(table, MOST_WAITING, applied.position(laneOf(tables.get(table))))
              .rows()
              .keys());
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
                    .collect(Collectors.toList()));
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
        table.pending(delay, now),
        table.suspended(delay, now),
        table.notCompared(),
        table
            .exempt()
            .or(() -> Optional.of(coverage.suspended()).filter(why -> !why.isEmpty()))
            .or(table::problem));
  }

  private SessionLimits limits() {
    SessionLimits defaults = SessionLimits.DEFAULT;
    return new SessionLimits(
        live(SluiceSettings.VALIDATION_SNAPSHOT_AGE),
        setting(ValidationSettings.PARTITION_SIZE),
        defaults.touchedKeys(),
        defaults.differences(),
        defaults.keysLeftOut(),
        defaults.checkpointTimeout());
  }

  private <T> T setting(Setting<T> setting) {
    return context.config().taskSettings().get(setting);
  }

  private <T> T live(Setting<T> setting) {
    return context.live().picture().running().inEffect().get(setting);
  }
}
