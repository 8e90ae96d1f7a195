package dev.sluice.engine.cutover;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.readiness.Coverage;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.validate.continuous.RepairPause;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Stops the writers of the source by locks, proves that the target has everything, and lets the
 * source decide: its commit closes it for writers. Whatever fails before that releases them. Used
 * by the cutover's thread.
 */
final class StoppedPeriod {
  /** A fence has to come out within this part of the budget before writers are stopped. */
  private static final int PART_FOR_FENCE = 4;

  private final TaskContext context;
  private final CutoverFences fences;
  private final CutoverTask live;
  private final CutoverProgress progress;
  private final WriterHold hold;
  private final LastProof last;
  private final SourceDecision source;
  private final CutoverSequences sequences;
  private final Coverage coverage;
  private final Clock clock;

  /** For elapsed time: it never goes back. */
  private final Clock intervals;

  private volatile boolean noted;

  StoppedPeriod(
      TaskContext context,
      CutoverFences fences,
      CutoverTask live,
      CutoverProgress progress,
      CutoverHooks hooks,
      Clock clock) {
    this.context = context;
    this.fences = fences;
    this.live = live;
    this.progress = progress;
    this.sequences = new CutoverSequences(context, live, progress);
    this.coverage = new Coverage(context);
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
    this.hold = new WriterHold(context, hooks, live, progress, intervals);
    this.last = new LastProof(context, fences, coverage, progress, intervals);
    this.source = new SourceDecision(live, progress);
  }

  /** Whether the source was asked to decide, and its answer is not known yet. */
  boolean isAsking() {
    return source.isAsking();
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
    NeededTables needed = neededTables();
    if (needed.awaitUnused()) {
      awaitClose(order.timeout(), order.budget().orElseThrow());
    }
    notePlan();
    UUID cutover = UUID.randomUUID();
    Decision decision;
    try (CutoverProof proof = proof(order);
        SwitchPoint back = SwitchPoint.announce(context, live, cutover, context.replicated());
        RepairPause repairs = pauseRepairs(order.timeout());
        CutoverHolds held = hold.hold(writers, cutover, order)) {
      StoppedWriters stopped = held.writers();
      Budget budget = held.budget();
      decision = new Decision(cutover, clock.instant().minus(budget.used()));
      last.prove(stopped, proof, budget);
      sequences.set(order.accepted());
      needed.requireUnused();
      back.requireStill();
      budget.require("the decision");
      noted = true;
      live.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DECIDING, decision.detail());
      // After the note, since no repair is written any more once it is there.
      back.place();
      held.requireDecidable();
      back.keep();
      repairs.keep();
      source.make(writers, held, new SourceDecision.Undecided(cutover, back, repairs));
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
    NeededTables needed = neededTables();
    try (CutoverProof proof = proof(order);
        CutoverHolds held = hold.hold(writers, UUID.randomUUID(), order)) {
      StoppedWriters stopped = held.writers();
      Budget budget = held.budget();
      Duration proven = last.prove(stopped, proof, budget);
      sequences.requireSettable();
      needed.requireUnused();
      Duration used = budget.used();
      budget.require("the end");
      return new Rehearsed(stopped.attempts(), stopped.locking(), proven, used);
    }
  }

  private NeededTables neededTables() {
    return new NeededTables(context, progress, sequences.standIns(), intervals);
  }

  /** The source may be lost right after it has decided. */
  private void notePlan() {
    live.record(
        TaskStepNames.CUTOVER_PLAN,
        TaskStepNames.CUTOVER_PLAN_NOTED,
        CutoverPlan.of(context).text());
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
    List<Problem> lacking = writers.lacking(context.replicated());
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
