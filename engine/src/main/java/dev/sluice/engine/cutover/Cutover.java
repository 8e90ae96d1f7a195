package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.connector.api.source.catalog.CatalogTable;
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
import dev.sluice.sink.control.schema.EpochFence;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One cutover: proves that the source is quiet and the target complete, ends the replication, and
 * sets the sequences. Each step can be repeated; the target's control schema records the last one
 * done. Runs on its own thread; {@link #status} may be called from any.
 */
final class Cutover {
  private static final Logger LOG = LoggerFactory.getLogger(Cutover.class);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
  private static final int NAMED_AT_MOST = 5;

  private static final Set<StoredStep.State> NOT_MADE =
      EnumSet.of(StoredStep.State.FAILED, StoredStep.State.LEFT_OUT);

  private final TaskContext context;
  private final Fences fences;
  private final Live live;
  private final Duration timeout;
  private final Clock clock;

  /** For elapsed time: it never goes back. */
  private final Clock intervals;

  private final Coverage coverage;
  private Double seconds;

  private volatile TaskStatus.Cutover status =
      new TaskStatus.Cutover("running", "waiting for the replication", null, List.of());

  /**
   * @param live access to the running task
   * @param timeout for each wait
   */
  Cutover(TaskContext context, Fences fences, Live live, Duration timeout, Clock clock) {
    this.context = context;
    this.fences = fences;
    this.live = live;
    this.timeout = timeout;
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
    this.coverage = new Coverage(context);
  }

  TaskStatus.Cutover status() {
    return status;
  }

  /**
   * Runs all steps.
   *
   * @return the report, one line for each result
   * @throws SluiceException if it failed; the task continues to replicate
   */
  List<String> run() throws InterruptedException {
    step("checking what the target lacks");
    requireCoveredAtOnce();
    context.cutOverTables().create();
    live.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_BEGUN, "");
    step("waiting for open transactions on the source to end");
    awaitNoWriter();
    QuietSource quiet = QuietSource.from(context);
    long readFrom = live.replication().sink().apply().durable().nextOffset();
    Instant begun = clock.instant();
    step("waiting for the first fence to come out of the sink");
    Position first = pass();
    require(coverage.ofDefinitions());
    Duration quietTime = context.config().taskSettings().get(SluiceSettings.CUTOVER_QUIET_TIME);
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
            FenceScan.changesBetween(live.kafka(), context.topics(), readFrom, first, second)));
    List<Problem> lacking = new ArrayList<>(coverage.ofSuspendedTables());
    lacking.addAll(coverage.ofChanges());
    require(lacking);
    live.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_QUIET, begun.toString());
    step("ending the replication");
    live.endReplication();
    return finish(begun);
  }

  /**
   * Runs the steps after source and target were proven equal; also after a daemon was killed there.
   *
   * @param begun when the first fence was written
   */
  List<String> finish(Instant begun) throws InterruptedException {
    List<TableId> tables =
        context.followed(context.steps().all(context.task())).tables().stream()
            .map(CatalogTable::table)
            .toList();
    // Before the target is reported as usable.
    context
        .cutOverTables()
        .record(
            context.task(),
            tables.stream().map(context.config().tableMappings()::targetOf).toList(),
            begun);
    step("setting the sequences");
    SequenceCopy.Result sequences =
        SequenceCopy.copy(
            context.source().reader(), context.target(), tables, context.config().tableMappings());
    require(sequences.notSet());
    live.record(
        TaskStepNames.SEQUENCES, TaskStepNames.SEQUENCES_SET, SequencesSet.text(sequences.set()));
    List<String> report = new ArrayList<>();
    Optional<TableCompletion> constraints = beginConstraints(tables);
    try {
      if (constraints.isPresent()) {
        awaitUsable(constraints.get());
      }
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
    live.record(TaskStepNames.CUTOVER, TaskStepNames.CUTOVER_DONE, String.join("\n", report));
    status = new TaskStatus.Cutover("done", "done", seconds, List.copyOf(report));
    LOG.info("cut over: {}", report);
    return report;
  }

  /**
   * Starts to create constraints and triggers. They come last, since they could reject or change
   * applied rows.
   */
  private Optional<TableCompletion> beginConstraints(List<TableId> tables) {
    if (!StartPlan.madeTables(context.steps().all(context.task()))) {
      return Optional.empty();
    }
    step("creating the constraints and triggers");
    AtomicReference<TableCompletion> completion = new AtomicReference<>();
    live.underEpoch(
        claimed ->
            completion.set(
                ConstraintCompletion.begin(
                    context.source().reader(),
                    context.target(),
                    tables,
                    context.config().tableMappings(),
                    context.completionSettings().goingOn(),
                    EpochFence.of(context.controlSchema(), claimed))));
    live.completion(completion.get());
    return Optional.of(completion.get());
  }

  /** Lists the definitions that the target lacks, and why. */
  private List<String> notMade() {
    return context.completionJournal().read().stream()
        .filter(step -> NOT_MADE.contains(step.state()))
        .map(step -> "%s: %s: %s".formatted(step.state().text(), step.thing(), step.detail()))
        .toList();
  }

  /** Waits until every constraint holds for new rows; existing rows are validated after that. */
  private void awaitUsable(TableCompletion completion) throws InterruptedException {
    while (!completion.await(POLL_INTERVAL)) {
      if (completion.isDoneBut(CompletionStep.Kind.VALIDATION)) {
        return;
      }
    }
  }

  private void awaitAll(TableCompletion completion) throws InterruptedException {
    boolean complete = false;
    while (!complete) {
      complete = completion.await(POLL_INTERVAL);
    }
  }

  /** Reports sessions that could still write to the source by mistake. */
  private Optional<String> stillConnected() {
    List<SourceSession> sessions = context.source().log().sessions();
    return sessions.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "still connected to the source's database, where nothing must be written any more: "
                + QuietSource.named(sessions));
  }

  private double secondsSince(Instant begun) {
    return Duration.between(begun, intervals.instant()).toMillis() / 1000.0;
  }

  /** Shows why the cutover is given up, while that is not yet recorded on the target. */
  void givingUp(String reason) {
    step("noting on the target that it failed: " + reason);
  }

  /** Records that the cutover is done, but not all constraints were validated. */
  void validationLeft(String reason) {
    LOG.warn("cut over, but the validation of the constraints was interrupted: {}", reason);
    status =
        new TaskStatus.Cutover(
            "done",
            "the target can be used; the validation of its constraints was interrupted, and"
                + " continues when the daemon starts again or sluice cutover is run again: "
                + reason,
            seconds,
            status.report());
  }

  /**
   * Shows that the last steps failed after both sides were proven equal; they must still be done.
   */
  void brokenOff(String reason) {
    status =
        new TaskStatus.Cutover("running", "the last steps broke off: " + reason, null, List.of());
  }

  /** Shows why the cutover failed. */
  void failed(String reason) {
    status = new TaskStatus.Cutover("failed", reason, null, List.of());
  }

  private void step(String text) {
    LOG.info("cutover: {}", text);
    status = new TaskStatus.Cutover("running", text, null, List.of());
  }

  private void awaitNoWriter() throws InterruptedException {
    List<OpenTransaction> open =
        Polling.every(POLL_INTERVAL, intervals)
            .until(timeout, context.source().log()::openTransactions, List::isEmpty);
    if (!open.isEmpty()) {
      List<OpenTransaction> named = open.subList(0, Math.min(NAMED_AT_MOST, open.size()));
      throw new SluiceException.Fatal(
          new Problem(
              "cutover of task " + context.task(),
              "%s still open on the source after %d s: %s"
                  .formatted(Counted.of(open.size(), "transaction"), timeout.toSeconds(), named),
              "no transaction that has changed something, and no prepared one",
              "Stop the applications, end these, and run sluice cutover again"));
    }
  }

  private Position pass() throws InterruptedException {
    Fences.Passage passage = fences.pass(timeout);
    Optional<String> missing = passage.missing();
    if (missing.isPresent()) {
      throw new SluiceException.Fatal(
          new Problem(
              "cutover of task " + context.task(),
              "the target has not caught up after " + timeout.toSeconds() + " s: " + missing.get(),
              "a target that catches up within --timeout",
              "Run sluice cutover again, with a longer --timeout"));
    }
    return passage.fence();
  }

  /** Checks coverage before the first wait, and reports all problems at once. */
  private void requireCoveredAtOnce() {
    List<Problem> problems = new ArrayList<>(coverage.ofSuspendedTables());
    problems.addAll(coverage.ofChanges());
    if (!problems.isEmpty()) {
      // Otherwise a change in flight, such as a new table, would be missed.
      problems.addAll(coverage.ofDefinitions());
    }
    require(problems);
  }

  private static void require(List<Problem> problems) {
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  /** What the cutover reads from the running task and changes in it. Threadsafe. */
  interface Live {
    /** The running replication; waits while it is being restarted. */
    Replication replication() throws InterruptedException;

    Map<String, Object> kafka();

    /**
     * Records a step of the task on the target, under the epoch that the daemon holds.
     *
     * @param step its name, of {@link TaskStepNames}
     */
    void record(String step, String state, String detail);

    /**
     * Does work on the target under the epoch that the daemon holds; again if that was claimed anew
     * meanwhile.
     */
    void underEpoch(Consumer<Checkpoint> work);

    /** Shows the completion's progress in the status from now on. */
    void completion(TableCompletion running);

    /**
     * Publishes the verdict: the target is the database to use.
     *
     * @param open whether constraints are still to be validated
     */
    void usable(double seconds, boolean open, List<String> report);

    /** Ends the replication with a durable checkpoint; returns when it has ended. */
    void endReplication() throws InterruptedException;
  }
}
