package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.Durations;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.FallbackConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.load.PlannedConstraints;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.readiness.Coverage;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.validate.continuous.RepairPause;
import dev.sluice.load.UsedTables;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/**
 * Stops the writers of the source by locks, proves that the target has everything, and lets the
 * source decide: its commit closes it for writers. Whatever fails before that releases them. Used
 * by the cutover's thread.
 */
final class StoppedPeriod {
  /** The longest time of attempts to stop the writers; each attempt is short. */
  private static final Duration LONGEST_ATTEMPTS = Duration.ofSeconds(60);

  /** The server counts the budget with a clock of its own, and may end it a moment earlier. */
  private static final Duration CLOCKS = Duration.ofMillis(500);

  /** A fence has to come out within this part of the budget before writers are stopped. */
  private static final int PART_FOR_FENCE = 4;

  private static final Duration ASK_AGAIN = Duration.ofMillis(500);

  private final TaskContext context;
  private final CutoverFences fences;
  private final Cutover.Live live;
  private final CutoverProgress progress;
  private final CutoverHooks hooks;
  private final Coverage coverage;
  private final Clock clock;

  /** For elapsed time: it never goes back. */
  private final Clock intervals;

  private volatile boolean asking;
  private volatile boolean noted;

  StoppedPeriod(
      TaskContext context,
      CutoverFences fences,
      Cutover.Live live,
      CutoverProgress progress,
      CutoverHooks hooks,
      Clock clock) {
    this.context = context;
    this.fences = fences;
    this.live = live;
    this.progress = progress;
    this.hooks = hooks;
    this.coverage = new Coverage(context);
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
  }

  /** Whether the source was asked to decide, and its answer is not known yet. */
  boolean isAsking() {
    return asking;
  }

  /** Whether the target has a note that the source was to decide. */
  boolean isNoted() {
    return noted;
  }

  /**
   * Stops the writers, and closes the source for them.
   *
   * @param order with a budget
   * @return when they were stopped
   * @throws SluiceException if it was not decided; the writers go on
   */
  Instant run(CutoverOrder order) throws InterruptedException {
    WriterStop writers = writers();
    awaitClose(order.timeout(), order.budget().orElseThrow());
    requireUnused();
    notePlan();
    UUID cutover = UUID.randomUUID();
    Decision decision;
    try (CutoverProof proof = proof(order);
        SwitchPoint back = SwitchPoint.announce(context, live, cutover, tables());
        RepairPause repairs = pauseRepairs(order.timeout());
        Stop held = hold(writers, cutover, order)) {
      StoppedWriters stopped = held.writers();
      Budget budget = held.budget();
      decision = new Decision(cutover, clock.instant().minus(budget.used()));
      prove(stopped, proof, budget);
      setSequences();
      requireUnused();
      back.requireStill();
      budget.require("the decision");
      noted = true;
      live.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DECIDING, decision.detail());
      // After the note, since no repair is written any more once it is there.
      back.place();
      held.requireDecidable();
      back.keep();
      repairs.keep();
      decide(writers, held, new Undecided(cutover, back, repairs));
      progress.reached("the source has decided: it is closed for writers");
    }
    live.decided(decision);
    return decision.begun();
  }

  /**
   * Stops the writers and proves the same, and releases them again.
   *
   * @param order with a budget
   * @return how long they were stopped
   */
  Rehearsed rehearse(CutoverOrder order) throws InterruptedException {
    WriterStop writers = writers();
    awaitClose(order.timeout(), order.budget().orElseThrow());
    try (CutoverProof proof = proof(order);
        Stop held = hold(writers, UUID.randomUUID(), order)) {
      StoppedWriters stopped = held.writers();
      Budget budget = held.budget();
      Duration proven = prove(stopped, proof, budget);
      Gap.require(
          SequenceCopy.problems(
                  context.source().reader(),
                  context.target(),
                  tables(),
                  context.config().tableMappings())
              .stream()
              .map(problem -> new Gap("sequences-not-settable", problem))
              .toList());
      requireUnused();
      Duration used = budget.used();
      budget.require("the end");
      return new Rehearsed(stopped.attempts(), stopped.locking(), proven, used);
    }
  }

  private void requireUnused() {
    UsedTables.refuse(
        context.target(),
        tables().stream().map(context.config().tableMappings()::targetOf).toList());
  }

  /** The source may be lost right after it has decided. */
  private void notePlan() {
    List<TableId> tables = tables();
    List<CompletionStep> constraints =
        StartPlan.madeTables(context.steps().all(context.task()))
            ? PlannedConstraints.on(context.target())
                .read(
                    context.source().reader(),
                    tables,
                    context.config().tableMappings(),
                    context.completionSettings().runsCode())
            : List.of();
    live.record(
        TaskStepNames.CUTOVER_PLAN,
        TaskStepNames.CUTOVER_PLAN_NOTED,
        new CutoverPlan(tables, constraints).text());
  }

  /** While writers go on, so that little is left to compare when they are stopped. */
  private CutoverProof proof(CutoverOrder order) throws InterruptedException {
    progress.step("comparing the rows that were changed");
    CutoverProof proof =
        CutoverProof.begin(live.replication().validations().compareTouched(), order.accepted());
    try {
      long left = proof.catchUp(order.timeout(), intervals);
      progress.reached("to be compared while writers are stopped: %,d rows".formatted(left));
    } catch (InterruptedException | RuntimeException e) {
      proof.close();
      throw e;
    }
    return proof;
  }

  /** Before writers are stopped: they need not wait for the repair in flight. */
  private RepairPause pauseRepairs(Duration timeout) throws InterruptedException {
    progress.step("waiting for the repair of rows in flight");
    return live.replication()
        .validations()
        .pauseRepairs(timeout)
        .orElseThrow(
            () ->
                new SluiceException.Fatal(
                    new Problem(
                        "cutover of task " + context.task(),
                        "rows of the target are still being repaired after %d s"
                            .formatted(timeout.toSeconds()),
                        "a repair that ends within --timeout",
                        "Run sluice cutover again when sluice status shows fewer differences")));
  }

  private WriterStop writers() {
    WriterStop writers =
        context
            .source()
            .writers()
            .orElseThrow(
                () ->
                    new SluiceException.Fatal(
                        new Problem(
                            "source of task " + context.task(),
                            "has no way to stop its writers",
                            "a source whose tables can be locked",
                            "Stop the applications, and run sluice cutover --quiet-period")));
    List<Problem> lacking = writers.lacking(tables());
    if (!lacking.isEmpty()) {
      throw new SluiceException.Fatal(lacking);
    }
    return writers;
  }

  /** While writers go on: the target must be so close that the rest fits into the budget. */
  private void awaitClose(Duration timeout, Duration whole) throws InterruptedException {
    progress.step("waiting until the target is close to the source");
    Duration enough = whole.dividedBy(PART_FOR_FENCE);
    Instant deadline = intervals.instant().plus(timeout);
    while (true) {
      Instant written = intervals.instant();
      Position fence = fences.pass(timeout);
      Duration took = Duration.between(written, intervals.instant());
      if (took.compareTo(enough) <= 0) {
        progress.reached("a fence came out in %d ms, at %s".formatted(took.toMillis(), fence));
        break;
      }
      if (intervals.instant().isAfter(deadline)) {
        throw new SluiceException.Fatal(
            new Problem(
                "cutover of task " + context.task(),
                "the target is behind: a change needs %.2f s to get there"
                    .formatted(took.toMillis() / 1000.0),
                "at most a quarter of the budget, %.2f s".formatted(enough.toMillis() / 1000.0),
                "Run it again when less is written, or with a longer --budget"));
      }
    }
    Gap.require(coverage.ofDefinitions());
  }

  /** Holds the applications, if there are hooks, and then stops all writers. */
  private Stop hold(WriterStop writers, UUID cutover, CutoverOrder order)
      throws InterruptedException {
    Duration whole = order.budget().orElseThrow();
    Instant asked = intervals.instant();
    HeldApplications applications =
        HeldApplications.hold(hooks, cutover, whole, progress, live::leftHeld);
    AtomicReference<StoppedWriters> locks = new AtomicReference<>();
    BudgetWatch watch = new BudgetWatch(() -> letGo(locks, applications));
    try {
      Duration left = whole.minus(Duration.between(asked, intervals.instant()));
      // Who is held by a hook already must not wait for locks for longer than the budget.
      if (!hooks.isEmpty()) {
        watch.begin(left);
      }
      Duration attempts =
          hooks.isEmpty()
              ? Durations.shorter(order.timeout(), LONGEST_ATTEMPTS)
              : left.dividedBy(2);
      StoppedWriters stopped =
          stop(
              writers,
              new WriterStop.Request(
                  cutover, tables(), attempts, left, hooks.isEmpty() ? attempts.plus(left) : left));
      locks.set(stopped);
      Instant begun = hooks.isEmpty() ? intervals.instant().minus(stopped.locking()) : asked;
      Budget budget = new Budget(whole, begun, intervals);
      if (hooks.isEmpty()) {
        watch.begin(budget.left());
      }
      return new Stop(applications, stopped, budget, watch);
    } catch (RuntimeException | InterruptedException e) {
      watch.close();
      applications.close();
      throw e;
    }
  }

  /** At the end of the budget, while the cutover's thread may hang in a call to a server. */
  private void letGo(AtomicReference<StoppedWriters> locks, HeldApplications applications) {
    progress.step("the budget is over: the writers and the applications are let go");
    StoppedWriters stopped = locks.get();
    if (stopped != null) {
      stopped.cut();
    }
    applications.close();
  }

  private StoppedWriters stop(WriterStop writers, WriterStop.Request request)
      throws InterruptedException {
    progress.step("stopping the writers of the source");
    StoppedWriters stopped = writers.stop(request);
    progress.reached(
        "the writers are stopped: %s locked in %d ms, at attempt %d"
            .formatted(
                Counted.of(stopped.tables().size(), "table"),
                stopped.locking().toMillis(),
                stopped.attempts()));
    return stopped;
  }

  /** The end of the budget cuts the session, and may be seen as any failure of it. */
  private void prepareMove(StoppedWriters stopped, Budget budget) {
    try {
      stopped.prepareMove(context.movedTo(), context.config().fallback().map(FallbackConfig::user));
    } catch (SluiceException e) {
      throw budget.left().compareTo(CLOCKS) <= 0
          ? budget.over("the source was not ready to refuse writers: " + e.getMessage())
          : e;
    }
  }

  /**
   * Proves under the locks that the target has everything.
   *
   * @return how long that took
   */
  private Duration prove(StoppedWriters stopped, CutoverProof proof, Budget budget)
      throws InterruptedException {
    Instant begun = intervals.instant();
    progress.step("waiting for the last fence to come out of the sink");
    CompletableFuture<Fences.Passage> fence = fence(budget.left());
    Fences.Passage passage;
    try {
      prepareMove(stopped, budget);
      progress.reached(
          stopped.refusesDdl()
              ? "the source is ready to refuse writers and DDL"
              : "the source is ready to refuse writers; it will not refuse DDL, since this user may"
                  + " not make event triggers there");
      passage = fence.get(budget.left().toMillis() + 1, TimeUnit.MILLISECONDS);
      if (passage.missing().isPresent()) {
        throw budget.over("the target did not catch up: " + passage.missing().get());
      }
    } catch (TimeoutException e) {
      throw budget.over("the target did not catch up");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException known) {
        throw known;
      }
      throw new IllegalStateException("BUG: the last fence fails", e.getCause());
    } finally {
      fence.cancel(true);
    }
    progress.reached("the last fence came out of the sink, at " + passage.fence());
    budget.require("the target was checked");
    progress.step("checking what the target lacks");
    requireLocked(stopped);
    List<Gap> lacking = new ArrayList<>(coverage.ofSuspendedTables());
    lacking.addAll(coverage.ofChanges());
    // Without event triggers a column may have come after the last look.
    lacking.addAll(coverage.ofDefinitions());
    Gap.require(lacking);
    progress.reached("the target lacks nothing");
    proof.await(budget);
    proof.lines().forEach(progress::reached);
    budget.require("the sequences");
    return Duration.between(begun, intervals.instant());
  }

  private CompletableFuture<Fences.Passage> fence(Duration timeout) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return fences.passage(timeout);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Fences.Passage(Position.ZERO, Optional.of("the daemon ends"));
          }
        });
  }

  /** A table may have become selected after the locks were taken. */
  private void requireLocked(StoppedWriters stopped) {
    List<TableId> free =
        tables().stream().filter(table -> !stopped.tables().contains(table)).toList();
    if (!free.isEmpty()) {
      throw new SluiceException.Fatal(
          new Problem(
              "cutover of task " + context.task(),
              "tables appeared while the writers were being stopped: " + free,
              "the same tables before and after",
              "Run sluice cutover again"));
    }
  }

  private void setSequences() {
    SequenceCopy.Result sequences =
        SequenceCopy.copyExactly(
            context.source().reader(),
            context.target(),
            tables(),
            context.config().tableMappings());
    if (!sequences.notSet().isEmpty()) {
      throw new SluiceException.Fatal(sequences.notSet());
    }
    live.record(
        TaskStepNames.SEQUENCES, TaskStepNames.SEQUENCES_SET, SequencesSet.text(sequences.set()));
    progress.reached(
        "sequences set: %d%s"
            .formatted(
                sequences.set().size(),
                sequences.set().stream()
                    .map(set -> "%s to %d".formatted(set.sequence(), set.lastValue()))
                    .collect(Collectors.joining(", ", ": ", ""))
                    .replaceFirst("^: $", "")));
  }

  /** What goes on if the source has not decided the cutover. */
  private record Undecided(UUID cutover, SwitchPoint back, RepairPause repairs) {
    void giveUp() {
      back.giveUp();
      repairs.giveUp();
    }
  }

  private void decide(WriterStop writers, Stop held, Undecided undecided)
      throws InterruptedException {
    progress.step("the source decides");
    asking = true;
    held.applications().keep();
    try {
      held.writers().decide();
      asking = false;
      return;
    } catch (SluiceException e) {
      progress.step("asking the source what was decided: " + e.getMessage());
      held.writers().close();
      if (ask(writers, undecided.cutover()) == WriterStop.Decision.NOT_MOVED) {
        asking = false;
        held.applications().release();
        undecided.giveUp();
        throw new SluiceException.Fatal(
            "the source did not commit the cutover, and its writers go on: " + e.getMessage(), e);
      }
    }
    asking = false;
  }

  /** Both outcomes are possible until the source answers, so there is no limit. */
  private WriterStop.Decision ask(WriterStop writers, UUID cutover) throws InterruptedException {
    while (true) {
      try {
        WriterStop.Decision decision = writers.decision(cutover, LONGEST_ATTEMPTS);
        live.problem(Optional.empty());
        return decision;
      } catch (SluiceException e) {
        // Whatever it is, nothing may be opened without an answer.
        String words =
            "the source does not tell what was decided about the cutover; it is asked again, and"
                + " the applications stay where they are: "
                + e.getMessage();
        progress.step(words);
        live.problem(Optional.of(words));
        if (live.awaitClosing(ASK_AGAIN)) {
          throw new InterruptedException("the daemon ends");
        }
      }
    }
  }

  private List<TableId> tables() {
    return context.followed(context.steps().all(context.task())).tables().stream()
        .map(CatalogTable::table)
        .toList();
  }

  /** Who is stopped, and for how long at most. Closing it lets all go on. */
  private record Stop(
      HeldApplications applications, StoppedWriters writers, Budget budget, BudgetWatch watch)
      implements AutoCloseable {
    /** From now on the time does not end any more. */
    void requireDecidable() {
      budget.require("the decision");
      if (!watch.mayDecide()) {
        throw budget.over("the time was over before the decision");
      }
    }

    @Override
    public void close() {
      // Until the locks are gone the time may end: a source that hangs must not hold anybody.
      writers.close();
      watch.close();
      applications.close();
    }
  }

  /**
   * How long a rehearsal took. Immutable.
   *
   * @param attempts to lock the tables
   * @param locking of the last attempt
   * @param proving that the target has everything
   * @param stopped for how long writers were stopped in all
   */
  record Rehearsed(int attempts, Duration locking, Duration proving, Duration stopped) {}
}
