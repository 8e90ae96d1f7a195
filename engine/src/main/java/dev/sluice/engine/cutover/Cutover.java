package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.postgres.catalog.CatalogTable;
import dev.sluice.connector.postgres.server.SourceSession;
import dev.sluice.connector.postgres.slot.OpenTransaction;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.journal.FenceScan;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.load.completion.ConstraintCompletion;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.load.log.StoredStep;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the target the one to use: proves that the source is quiet and that the target has all of
 * it, ends the replication, and sets the sequences. Each step can be repeated, and the target's
 * control schema remembers the last one done. Runs on a thread of its own; {@link #status} may be
 * asked from any.
 */
final class Cutover {
  private static final Logger LOG = LoggerFactory.getLogger(Cutover.class);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);
  private static final int NAMED_AT_MOST = 5;

  private static final Set<StoredStep.State> NOT_MADE =
      EnumSet.of(StoredStep.State.FAILED, StoredStep.State.LEFT_OUT);

  private final TaskContext parts;
  private final Fences fences;
  private final Live live;
  private final Duration patience;
  private final Clock clock;

  /** What is decided by how much time has passed. */
  private final Clock intervals;

  private final Coverage coverage;
  private Double seconds;

  private volatile TaskStatus.Cutover status =
      new TaskStatus.Cutover("running", "waiting for the replication", null, List.of());

  /**
   * @param live what the daemon's main thread runs, and does when asked
   * @param patience for each wait
   */
  Cutover(TaskContext parts, Fences fences, Live live, Duration patience, Clock clock) {
    this.parts = parts;
    this.fences = fences;
    this.live = live;
    this.patience = patience;
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
    this.coverage = new Coverage(parts);
  }

  TaskStatus.Cutover status() {
    return status;
  }

  /**
   * Goes through all steps.
   *
   * @return the report
   * @throws SluiceException why it failed; the task replicates on
   */
  List<String> run() throws InterruptedException {
    step("looking for what the target lacks");
    requireCoveredAtOnce();
    parts.cutOverTables().create();
    live.record(TaskStepNames.CUTOVER_BEGUN, "");
    step("waiting for open transactions on the source to end");
    awaitNoWriter();
    QuietSource quiet = QuietSource.from(parts);
    long readFrom = live.replication().sink().apply().durable().nextOffset();
    Instant begun = clock.instant();
    step("waiting for the first fence to come out of the sink");
    Position first = pass();
    require(coverage.ofDefinitions());
    Duration quietTime = parts.config().taskSettings().sluice().cutoverQuietTime();
    step(
        "the first fence came out; the source must be quiet for %s s"
            .formatted(quietTime.toMillis() / 1000.0));
    Thread.sleep(quietTime.toMillis());
    step("waiting for open transactions on the source to end again");
    awaitNoWriter();
    step("waiting for the second fence to come out of the sink");
    Position second = pass();
    require(
        quiet.problems(
            FenceScan.changesBetween(live.kafka(), parts.topics(), readFrom, first, second)));
    List<Problem> lacking = new ArrayList<>(coverage.ofSuspendedTables());
    lacking.addAll(coverage.ofChanges());
    require(lacking);
    live.record(TaskStepNames.CUTOVER_QUIET, begun.toString());
    step("ending the replication");
    live.endReplication();
    return finish(begun);
  }

  /**
   * The steps after both sides were seen equal: what is left where a daemon was killed after that.
   *
   * @param begun when the first fence was written
   */
  List<String> finish(Instant begun) throws InterruptedException {
    List<TableId> tables =
        parts.followed(parts.steps().all(parts.task())).tables().stream()
            .map(CatalogTable::table)
            .toList();
    // Before anyone hears that the target can be used.
    parts
        .cutOverTables()
        .record(
            parts.task(),
            tables.stream().map(parts.config().tableMappings()::targetOf).toList(),
            begun);
    step("setting the sequences");
    SequenceCopy.Result sequences =
        SequenceCopy.copy(
            parts.sourceServer(), parts.target(), tables, parts.config().tableMappings());
    require(sequences.notSet());
    SequencesSet.keep(parts, sequences.set());
    List<String> report = new ArrayList<>();
    Optional<TableCompletion> constraints = beginConstraints(tables);
    try {
      if (constraints.isPresent()) {
        awaitUsable(constraints.get());
      }
      seconds = secondsSince(begun);
      Position position =
          parts.checkpoints().read(parts.task()).map(Checkpoint::position).orElse(Position.ZERO);
      report.add(
          "the target has everything that the source committed, %s, up to %s"
              .formatted(Counted.of(tables.size(), "table"), position));
      report.add("sequences set: " + sequences.set().size());
      stillConnected().ifPresent(report::add);
      report.add(
          String.format(Locale.ROOT, "from the first fence to the verdict: %.2f s", seconds));
      boolean open = constraints.isPresent() && constraints.get().open() > 0;
      List<String> usable = new ArrayList<>(report);
      usable.addAll(notMade());
      status =
          new TaskStatus.Cutover(
              "done",
              open ? "the target can be used; its constraints are validated" : "done",
              seconds,
              List.copyOf(usable));
      live.usable(seconds, open, usable);
      if (constraints.isPresent()) {
        awaitAll(constraints.get());
      }
    } finally {
      constraints.ifPresent(TableCompletion::close);
    }
    constraints.ifPresent(
        completion -> report.add("constraints and triggers: " + completion.summary()));
    report.addAll(notMade());
    live.record(TaskStepNames.CUTOVER_DONE, String.join("\n", report));
    status = new TaskStatus.Cutover("done", "done", seconds, List.copyOf(report));
    LOG.info("cut over: {}", report);
    return report;
  }

  /** Nothing is applied any more: what could refuse a row, or act on one, comes now. */
  private Optional<TableCompletion> beginConstraints(List<TableId> tables) {
    if (!StartPlan.madeTables(parts.steps().all(parts.task()))) {
      return Optional.empty();
    }
    step("making the constraints and triggers");
    TableCompletion completion =
        ConstraintCompletion.begin(
            parts.sourceServer(),
            parts.target(),
            tables,
            parts.config().tableMappings(),
            parts.completionSettings().goingOn());
    live.completion(completion);
    return Optional.of(completion);
  }

  /** What the target lacks of the source's definitions, and why. */
  private List<String> notMade() {
    return parts.completionJournal().read().stream()
        .filter(step -> NOT_MADE.contains(step.state()))
        .map(step -> "%s: %s: %s".formatted(step.state().text(), step.thing(), step.detail()))
        .toList();
  }

  /** Until every constraint holds for new rows; those that are there are looked at after that. */
  private void awaitUsable(TableCompletion completion) throws InterruptedException {
    while (!completion.await(LOOK_AGAIN)) {
      if (completion.isDoneBut(CompletionStep.Kind.VALIDATION)) {
        return;
      }
    }
  }

  private void awaitAll(TableCompletion completion) throws InterruptedException {
    boolean whole = false;
    while (!whole) {
      whole = completion.await(LOOK_AGAIN);
    }
  }

  /** Who could still write on the source by mistake. */
  private Optional<String> stillConnected() {
    List<SourceSession> sessions = parts.source().log().sessions();
    return sessions.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "still connected to the source's database, where nothing must be written any more: "
                + QuietSource.named(sessions));
  }

  private double secondsSince(Instant begun) {
    return Duration.between(begun, intervals.instant()).toMillis() / 1000.0;
  }

  /** Says why it is being given up, before that is certain to be remembered. */
  void givingUp(String reason) {
    step("noting on the target that it failed: " + reason);
  }

  /** It is done, but for constraints that were not all validated. */
  void validationLeft(String reason) {
    LOG.warn("cut over, but the validation of the constraints broke off: {}", reason);
    status =
        new TaskStatus.Cutover(
            "done",
            "the target can be used; the validation of its constraints broke off, and goes on when"
                + " the daemon starts again or sluice cutover is given again: "
                + reason,
            seconds,
            status.report());
  }

  /** Both sides were seen equal, so there is no way back; the last steps are still to come. */
  void brokenOff(String reason) {
    status =
        new TaskStatus.Cutover("running", "the last steps broke off: " + reason, null, List.of());
  }

  /** Notes why it was given up. */
  void failed(String reason) {
    status = new TaskStatus.Cutover("failed", reason, null, List.of());
  }

  private void step(String text) {
    LOG.info("cutover: {}", text);
    status = new TaskStatus.Cutover("running", text, null, List.of());
  }

  private void awaitNoWriter() throws InterruptedException {
    Instant deadline = intervals.instant().plus(patience);
    while (true) {
      List<OpenTransaction> open = parts.source().log().openTransactions();
      if (open.isEmpty()) {
        return;
      }
      if (intervals.instant().isAfter(deadline)) {
        List<OpenTransaction> named = open.subList(0, Math.min(NAMED_AT_MOST, open.size()));
        throw new SluiceException.Fatal(
            new Problem(
                "cutover of task " + parts.task(),
                "%s still open on the source after %d s: %s"
                    .formatted(Counted.of(open.size(), "transaction"), patience.toSeconds(), named),
                "no transaction that has changed something, and no prepared one",
                "Switch the applications off, end these, and give the order again"));
      }
      Thread.sleep(LOOK_AGAIN.toMillis());
    }
  }

  private Position pass() throws InterruptedException {
    Fences.Passage passage = fences.pass(patience);
    Optional<String> missing = passage.missing();
    if (missing.isPresent()) {
      throw new SluiceException.Fatal(
          new Problem(
              "cutover of task " + parts.task(),
              "the target has not caught up after " + patience.toSeconds() + " s: " + missing.get(),
              "a target that catches up within --timeout",
              "Give the order again, with a longer --timeout"));
    }
    return passage.fence();
  }

  /** Before anything is waited for; where something is in the way, all of it is named. */
  private void requireCoveredAtOnce() {
    List<Problem> problems = new ArrayList<>(coverage.ofSuspendedTables());
    problems.addAll(coverage.ofChanges());
    if (!problems.isEmpty()) {
      // Else what is on its way yet, such as a new table, would be missed.
      problems.addAll(coverage.ofDefinitions());
    }
    require(problems);
  }

  private static void require(List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /** What the cutover needs of the running task. Threadsafe. */
  interface Live {
    /** What runs at present; waits while it is built anew. */
    Replication replication() throws InterruptedException;

    Map<String, Object> kafka();

    /** Keeps the step on the target, under the epoch that is held now. */
    void record(String state, String detail);

    /** Shown from now on. */
    void completion(TableCompletion running);

    /**
     * The decision has come: the target is the one to use.
     *
     * @param open whether constraints are still to be validated
     */
    void usable(double seconds, boolean open, List<String> report);

    /** Ends the replication with a durable checkpoint; returns when it has ended. */
    void endReplication() throws InterruptedException;
  }
}
