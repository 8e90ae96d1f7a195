package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.CutoverOutcome;
import dev.sluice.engine.cutover.hook.HookReport;
import dev.sluice.engine.cutover.hook.HookResult;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.readiness.Coverage;
import dev.sluice.engine.readiness.Gap;
import dev.sluice.engine.readiness.SequencesSet;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One cutover: proves that the source is quiet and the target complete, ends the replication, and
 * sets the sequences. Each step can be repeated; the target's control schema records the last one
 * done. Runs on its own thread; {@link #status} may be called from any.
 */
final class Cutover {
  private static final Logger LOG = LoggerFactory.getLogger(Cutover.class);

  private static final String LEFT = "the last steps are tried again: ";

  private final TaskContext context;
  private final CutoverTask live;
  private final CutoverHooks hooks;
  private final CutoverOrder order;

  /** For elapsed time: it never goes back. */
  private final Clock intervals;

  private final Coverage coverage;
  private final CutoverProgress progress;
  private final QuietPeriod quiet;
  private final StoppedPeriod stopped;
  private final CutoverReportFile file;
  private final CutoverNotes notes;
  private final OldSource oldSource;
  private final UntilDone untilDone;
  private final LastConstraints constraints;

  /** Whether this object did the cutover from its beginning on. */
  private boolean ran;

  private Double seconds;

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
    this.hooks = hooks;
    this.order = order;
    this.intervals = new MonotonicClock(clock);
    this.coverage = new Coverage(context);
    this.progress = new CutoverProgress(clock);
    this.oldSource = new OldSource(context);
    this.file = new CutoverReportFile(context.task(), context.config().dataDir(), clock.instant());
    this.notes = new CutoverNotes(context, live, progress, file);
    this.untilDone = new UntilDone(context.retries(), live, intervals);
    this.constraints = new LastConstraints(context, live);
    CutoverFences bounded = new CutoverFences(context.task(), fences);
    this.quiet = new QuietPeriod(context, bounded, live, progress, clock);
    this.stopped = new StoppedPeriod(context, bounded, live, progress, hooks, clock);
  }

  TaskStatus.Cutover status() {
    return progress.status();
  }

  /**
   * Whether a failure has to be recorded on the target before anybody is told. Without it a later
   * start could take the cutover for decided, or the source would have to be asked.
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
    ran = true;
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
    return finish(begun);
  }

  /**
   * Runs the steps after source and target were proven equal; also after a daemon was killed there.
   * What may pass is tried again without a limit: the source refuses the applications meanwhile.
   *
   * @param begun when the first fence was written
   */
  List<String> finish(Instant begun) throws InterruptedException {
    List<String> report = new ArrayList<>();
    try {
      untilDone.run(() -> makeUsable(begun, report), why -> progress.stuck(LEFT + why));
      // With a closed source nothing is left to be applied, so the applications did not wait.
      live.endReplication();
      oldSource.leaveSoon(live, progress);
      return untilDone.run(
          () -> complete(report),
          why -> progress.done("the target can be used; " + LEFT + why, seconds, report));
    } finally {
      constraints.close();
    }
  }

  /** Waits until all constraints are validated, and notes that nothing is left. */
  private List<String> complete(List<String> usable) throws InterruptedException {
    List<String> report = new ArrayList<>(usable);
    try {
      if (!constraints.haveBegun()) {
        constraints.begin(LastQuestions.of(context, live.decision().isPresent()));
      }
      constraints.awaitAll().ifPresent(made -> report.add("constraints and triggers: " + made));
    } catch (SluiceException e) {
      constraints.close();
      throw e;
    }
    report.addAll(constraints.notMade());
    oldSource.leaveToTheWayBack(live, progress);
    live.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DONE, String.join("\n", report));
    progress.done("done", seconds, report);
    file.write(status());
    LOG.info("cut over: {}", report);
    return report;
  }

  /**
   * Does all that is needed before the target can be used, and publishes the verdict.
   *
   * @param report gets its lines
   * @return the report
   */
  private List<String> makeUsable(Instant begun, List<String> report) throws InterruptedException {
    report.clear();
    live.noteDecided();
    notes.continueReport(ran);
    live.decision()
        .ifPresent(
            made ->
                live.record(
                    TaskStepNames.CUTOVER_DECISION,
                    TaskStepNames.CUTOVER_DECISION_MADE,
                    made.detail()));
    Optional<UsableNote> before = UsableNote.of(context, name(begun));
    if (before.isPresent()) {
      // The applications have gone on since, perhaps back to the source.
      report.addAll(before.get().report());
      seconds = before.get().seconds();
      progress.done("the target can be used", seconds, report);
      live.usable(seconds, true, true, report);
      return report;
    }
    LastQuestions questions = LastQuestions.of(context, live.decision().isPresent());
    List<TableId> tables = questions.tables();
    // Before the target is reported as usable.
    context
        .cutOverTables()
        .record(
            context.task(),
            tables.stream().map(context.config().tableMappings()::targetOf).toList(),
            begun);
    progress.step("setting the sequences");
    Optional<SequenceCopy.Result> sequences = copySequences(questions);
    sequences.ifPresent(
        copied ->
            live.record(
                TaskStepNames.SEQUENCES,
                TaskStepNames.SEQUENCES_SET,
                SequencesSet.text(copied.set())));
    if (constraints.areMade()) {
      progress.step("creating the constraints and triggers");
    }
    try {
      constraints.begin(questions);
      constraints.awaitUsable();
      oldSource.reopen(progress).ifPresent(report::add);
      HookReport moved = moveApplications();
      seconds = secondsSince(begun);
      Position position =
          context
              .checkpoints()
              .read(context.task())
              .map(Checkpoint::position)
              .orElse(Position.ZERO);
      report.add(
          "the target has everything that the source committed, %s, up to %s"
              .formatted(Counted.of(tables.size(), "table"), position));
      report.add("sequences set: " + SequencesSet.read(context).size());
      stillConnected(questions).ifPresent(report::add);
      report.addAll(questions.leftOut());
      notes.acceptedBefore().ifPresent(kinds -> report.add("choices accepted before it: " + kinds));
      report.add(String.format(Locale.ROOT, fromWhere() + " to the verdict: %.2f s", seconds));
      boolean open = constraints.areOpen();
      if (!moved.notLetGo().isEmpty()) {
        live.leftHeld(moved.notLetGo());
      }
      moved.problems().forEach(problem -> report.add("hook failed: " + problem));
      List<String> details = new ArrayList<>(report);
      details.addAll(constraints.notMade());
      progress.reached("the target can be used");
      progress.done(
          open ? "the target can be used; its constraints are validated" : "done",
          seconds,
          details);
      file.write(status()).ifPresent(path -> details.add("the whole report: " + path));
      live.record(
          TaskStepNames.CUTOVER_USABLE,
          TaskStepNames.CUTOVER_USABLE_NOTED,
          new UsableNote(name(begun), seconds, report).detail());
      live.usable(seconds, open, moved.succeeded(), details);
      return details;
    } catch (SluiceException e) {
      constraints.close();
      throw e;
    }
  }

  /**
   * Sets the sequences once more. If the target fails at that without a known reason, they stay as
   * they were set before the source decided; a source that was only quiet had none set.
   */
  private Optional<SequenceCopy.Result> copySequences(LastQuestions questions)
      throws InterruptedException {
    Retries retries = new Retries(RetryPolicy.FEW, intervals);
    while (true) {
      try {
        return questions.copySequences();
      } catch (SluiceException.Unexplained e) {
        if (live.decision().isEmpty()) {
          throw e;
        }
        if (retries.failed().isEmpty()) {
          questions.sequencesNotSet(e.getMessage());
          return Optional.empty();
        }
        if (!retries.await(live::awaitClosing)) {
          throw e;
        }
      }
    }
  }

  /** Tells this cutover from others of the task. */
  private String name(Instant begun) {
    return live.decision().map(made -> made.cutover().toString()).orElse(begun.toString());
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

  /** Points the applications at the target, and lets those go that are held; repeatable. */
  private HookReport moveApplications() throws InterruptedException {
    if (hooks.isEmpty()) {
      return new HookReport(List.of());
    }
    progress.step("the hooks point the applications at the target");
    String cutover = live.decision().map(Decision::cutover).map(UUID::toString).orElse("");
    List<HookResult> results = new ArrayList<>(hooks.switchOver(cutover).results());
    results.addAll(hooks.resumeLeft(cutover, CutoverOutcome.MOVED).results());
    HookReport report = new HookReport(results);
    report.lines().forEach(progress::reached);
    return report;
  }

  /** Reports sessions that could still write to the source by mistake. */
  private static Optional<String> stillConnected(LastQuestions questions) {
    List<SourceSession> sessions = questions.sessions();
    return sessions.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "still connected to the source's database, where nothing must be written any more: "
                + QuietSource.named(sessions));
  }

  private String fromWhere() {
    return live.decision().isPresent() ? "from the stop of the writers" : "from the first fence";
  }

  private double secondsSince(Instant begun) {
    return Duration.between(begun, intervals.instant()).toMillis() / 1000.0;
  }

  /** Shows why the cutover is given up, while that is not yet recorded on the target. */
  void givingUp(String reason) {
    progress.step("noting on the target that it failed: " + reason);
  }

  /** Records that the cutover is done, but not all constraints were validated. */
  void validationLeft(String reason) {
    LOG.warn("cut over, but the validation of the constraints was interrupted: {}", reason);
    progress.done(
        "the target can be used; the validation of its constraints was interrupted, and"
            + " continues when the daemon starts again or sluice cutover is run again: "
            + reason,
        seconds,
        status().report());
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
    file.write(status());
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
