package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.CutoverOutcome;
import dev.sluice.engine.cutover.hook.HookReport;
import dev.sluice.engine.cutover.hook.HookResult;
import dev.sluice.engine.readiness.SequencesSet;
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
 * The steps of a cutover after source and target were proven equal: makes the target usable, gives
 * the verdict, and completes what applications need not wait for. Each step can be repeated, also
 * by another daemon. Used by the cutover's thread.
 */
final class LastSteps {
  private static final Logger LOG = LoggerFactory.getLogger(LastSteps.class);

  private static final String AGAIN = "the last steps are tried again: ";

  private final TaskContext context;
  private final CutoverTask live;
  private final CutoverHooks hooks;
  private final CutoverProgress progress;
  private final CutoverNotes notes;

  /** For elapsed time: it never goes back. */
  private final Clock intervals;

  private final OldSource oldSource;
  private final UntilDone untilDone;
  private final LastConstraints constraints;

  /** To the verdict; null before it. */
  private Double seconds;

  /**
   * @param live access to the running task
   */
  LastSteps(
      TaskContext context,
      CutoverTask live,
      CutoverHooks hooks,
      CutoverProgress progress,
      CutoverNotes notes,
      Clock intervals) {
    this.context = context;
    this.live = live;
    this.hooks = hooks;
    this.progress = progress;
    this.notes = notes;
    this.intervals = intervals;
    this.oldSource = new OldSource(context);
    this.untilDone = new UntilDone(context.retries(), live, intervals);
    this.constraints = new LastConstraints(context, live);
  }

  /**
   * Runs all of them. What may pass is tried again without a limit: the source refuses the
   * applications meanwhile.
   *
   * @param begun when the first fence was written
   * @param ran whether this daemon did the cutover from its beginning on
   * @return the report, one line for each result
   */
  List<String> run(Instant begun, boolean ran) throws InterruptedException {
    List<String> report = new ArrayList<>();
    try {
      untilDone.run(() -> makeUsable(begun, ran, report), why -> progress.stuck(AGAIN + why));
      // With a closed source nothing is left to be applied, so the applications did not wait.
      live.endReplication();
      oldSource.leaveSoon(live, progress);
      return untilDone.run(
          () -> complete(report),
          why -> progress.done("the target can be used; " + AGAIN + why, seconds, report));
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
    notes.writeReport();
    LOG.info("cut over: {}", report);
    return report;
  }

  /**
   * Does all that is needed before the target can be used, and publishes the verdict.
   *
   * @param report gets its lines
   * @return the report
   */
  private List<String> makeUsable(Instant begun, boolean ran, List<String> report)
      throws InterruptedException {
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
    // Before the target is reported as usable.
    context
        .cutOverTables()
        .record(
            context.task(),
            questions.tables().stream().map(context.config().tableMappings()::targetOf).toList(),
            begun);
    setSequences(questions);
    if (constraints.areMade()) {
      progress.step("creating the constraints and triggers");
    }
    try {
      constraints.begin(questions);
      constraints.awaitUsable();
      oldSource.reopen(progress).ifPresent(report::add);
      HookReport moved = moveApplications();
      seconds = secondsSince(begun);
      addFindings(questions, report);
      return publish(begun, moved, report);
    } catch (SluiceException e) {
      constraints.close();
      throw e;
    }
  }

  private void setSequences(LastQuestions questions) throws InterruptedException {
    progress.step("setting the sequences");
    questions
        .copySequences(live, intervals)
        .ifPresent(
            copied ->
                live.record(
                    TaskStepNames.SEQUENCES,
                    TaskStepNames.SEQUENCES_SET,
                    SequencesSet.text(copied.set())));
  }

  /** Adds to the report what the target has now, and what was left out. */
  private void addFindings(LastQuestions questions, List<String> report) {
    Position position =
        context.checkpoints().read(context.task()).map(Checkpoint::position).orElse(Position.ZERO);
    report.add(
        "the target has everything that the source committed, %s, up to %s"
            .formatted(Counted.of(questions.tables().size(), "table"), position));
    report.add("sequences set: " + SequencesSet.read(context).size());
    stillConnected(questions).ifPresent(report::add);
    report.addAll(questions.leftOut());
    notes.acceptedBefore().ifPresent(kinds -> report.add("choices accepted before it: " + kinds));
    report.add(String.format(Locale.ROOT, fromWhere() + " to the verdict: %.2f s", seconds));
  }

  /** Publishes the verdict, and notes it for a daemon that goes on with the cutover. */
  private List<String> publish(Instant begun, HookReport moved, List<String> report) {
    boolean open = constraints.areOpen();
    if (!moved.notLetGo().isEmpty()) {
      live.leftHeld(moved.notLetGo());
    }
    moved.problems().forEach(problem -> report.add("hook failed: " + problem));
    List<String> details = new ArrayList<>(report);
    details.addAll(constraints.notMade());
    progress.reached("the target can be used");
    progress.done(
        open ? "the target can be used; its constraints are validated" : "done", seconds, details);
    notes.writeReport().ifPresent(path -> details.add("the whole report: " + path));
    live.record(
        TaskStepNames.CUTOVER_USABLE,
        TaskStepNames.CUTOVER_USABLE_NOTED,
        new UsableNote(name(begun), seconds, report).detail());
    live.usable(seconds, open, moved.succeeded(), details);
    return details;
  }

  /** A name that no other cutover of the task has. */
  private String name(Instant begun) {
    return live.decision().map(made -> made.cutover().toString()).orElse(begun.toString());
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

  /** Shows that the cutover is done, but that not all constraints were validated. */
  void validationLeft(String reason) {
    LOG.warn("cut over, but the validation of the constraints was interrupted: {}", reason);
    progress.done(
        "the target can be used; the validation of its constraints was interrupted, and"
            + " continues when the daemon starts again or sluice cutover is run again: "
            + reason,
        seconds,
        progress.status().report());
  }
}
