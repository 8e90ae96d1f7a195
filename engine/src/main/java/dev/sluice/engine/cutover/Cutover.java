package dev.sluice.engine.cutover;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.readiness.Coverage;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverStatus;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * One cutover: proves that the source is quiet and the target complete, ends the replication, and
 * lets the last steps follow. Each step can be repeated; the target's control schema records the
 * last one done. Runs on its own thread; {@link #status} may be called from any.
 */
final class Cutover {
  private final TaskContext context;
  private final CutoverTask live;
  private final CutoverOrder order;
  private final Coverage coverage;
  private final CutoverProgress progress;
  private final QuietPeriod quiet;
  private final StoppedPeriod stopped;
  private final CutoverNotes notes;
  private final LastSteps last;

  /**
   * @param live access to the running task
   */
  Cutover(
      TaskContext context,
      Fences fences,
      CutoverTask live,
      CutoverHooks hooks,
      CutoverOrder order,
      Clock clock) {
    this.context = context;
    this.live = live;
    this.order = order;
    this.coverage = new Coverage(context);
    this.progress = new CutoverProgress(clock);
    this.notes =
        new CutoverNotes(
            context,
            live,
            progress,
            new CutoverReportFile(context.task(), context.config().dataDir(), clock.instant()));
    this.last = new LastSteps(context, live, hooks, progress, notes, new MonotonicClock(clock));
    CutoverFences bounded = new CutoverFences(context.task(), fences);
    this.quiet = new QuietPeriod(context, bounded, live, progress, clock);
    this.stopped = new StoppedPeriod(context, bounded, live, progress, hooks, clock);
  }

  CutoverStatus status() {
    return progress.status();
  }

  /**
   * Whether a failure has to be recorded on the target before it is reported. Without the record a
   * later start could take the cutover for decided, or would have to ask the source.
   */
  boolean mustRecordFailure() {
    return order.budget().isEmpty() || stopped.isNoted();
  }

  /** What to do if a failure could not be recorded on the target. */
  String adviceWithoutRecord() {
    return order.budget().isPresent()
        ? ". The source has not decided and its writers go on: the next start asks it, and records"
            + " the failure"
        : ". Keep the applications stopped until the daemon runs again and sluice status shows"
            + " whether the task is cut over";
  }

  /** Whether only the source knows at present how it was decided. */
  boolean isAsking() {
    return stopped.isAsking();
  }

  /**
   * Runs all steps.
   *
   * @return the report, one line for each result
   * @throws SluiceException if it failed; the task continues to replicate
   */
  List<String> run() throws InterruptedException {
    requireExactSwitch();
    progress.step("checking what the target lacks");
    requireCoveredAtOnce();
    context.cutOverTables().create();
    live.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_BEGUN, "");
    notes.accepted(order.accepted());
    Instant begun = order.budget().isPresent() ? stopped.run(order) : quiet.run(order.timeout());
    if (order.budget().isEmpty()) {
      progress.step("ending the replication");
      live.endReplication();
    }
    return last.run(begun, true);
  }

  /**
   * Goes on with a cutover whose daemon ended after source and target were proven equal.
   *
   * @param begun when the first fence was written
   */
  List<String> finish(Instant begun) throws InterruptedException {
    return last.run(begun, false);
  }

  /** Without locks somebody may write to the source after the switch. */
  private void requireExactSwitch() {
    if (order.budget().isEmpty() && context.config().forward().isPresent()) {
      throw new SluiceException.Fatal(
          new Problem(
              "fallback of task " + context.task(),
              "--quiet-period stops nobody, and the new side would stay open beside the old source",
              "a fallback that closes the new side",
              "Run sluice fallback, without --quiet-period"));
    }
    if (order.budget().isEmpty() && context.config().fallback().isPresent()) {
      throw new SluiceException.Fatal(
          new Problem(
              "cutover of task " + context.task(),
              "--quiet-period stops nobody, and the way back (section fallback) would carry back"
                  + " what somebody writes to the source meanwhile",
              "a cutover that stops the writers",
              "Leave --quiet-period out, or remove the section fallback and start the daemon"
                  + " again"));
    }
  }

  /** Shows why the cutover is given up, while that is not yet recorded on the target. */
  void givingUp(String reason) {
    progress.step("noting on the target that it failed: " + reason);
  }

  /** Shows that the cutover is done, but that not all constraints were validated. */
  void validationLeft(String reason) {
    last.validationLeft(reason);
  }

  /**
   * Shows that the last steps failed after both sides were proven equal; they must still be done.
   */
  void brokenOff(String reason) {
    progress.stuck("the last steps broke off: " + reason);
  }

  /** Shows why the cutover failed. */
  void failed(String reason) {
    progress.reached("it failed: " + reason);
    progress.failed(reason);
    notes.writeReport();
  }

  /** Checks coverage before the first wait, and reports all problems at once. */
  private void requireCoveredAtOnce() {
    List<Gap> gaps = new ArrayList<>(coverage.ofSuspendedTables());
    gaps.addAll(coverage.ofChanges());
    if (!gaps.isEmpty()) {
      // Otherwise a change in flight, such as a new table, would be missed.
      gaps.addAll(coverage.ofDefinitions());
    }
    Gap.require(gaps);
  }
}
