package dev.sluice.engine.cutover;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.CutoverOutcome;
import dev.sluice.engine.cutover.hook.TaskPauseNotes;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.CutoverRequests;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives requests for a cutover, runs one at a time on its own thread, and coordinates that
 * thread with the daemon's main thread, which alone ends the replication. Threadsafe.
 */
public final class CutoverCoordinator implements CutoverTask, CutoverRequests {
  private static final Logger LOG = LoggerFactory.getLogger(CutoverCoordinator.class);

  /** Timeout of a cutover that continues after a restart without a new request. */
  private static final Duration RESUMED_TIMEOUT = Duration.ofMinutes(5);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
  private static final String TABLE_COMMAND = "a command for single tables is running, try again";

  private static final String BROKEN_OFF =
      "interrupted, since the daemon ends; run sluice cutover again when the daemon runs";

  private static final String UNKNOWN =
      "not known yet: the source was asked to decide, and the daemon ended before it had answered."
          + " Keep the applications where they are: the daemon asks again when it starts, and sluice"
          + " status shows what was decided";

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final TaskContext context;
  private final PhaseTracker phases;
  private final CurrentReplication current;
  private final Fences fences;
  private final Map<String, Object> kafka;
  private final Clock clock;

  /** For elapsed time: it never goes back. */
  private final Clock intervals;

  private final CutoverSteps steps;
  private final CutoverHooks hooks;
  private final SourceWatch watch;
  private final AfterCutover after;
  private final LeftHeld held;
  private final EarlierCutover earlier;
  private final RunningRehearsal rehearsing = new RunningRehearsal();

  private Thread thread;

  /** Cleared together with the last verdict: who has been given that may begin another cutover. */
  private boolean runs;

  private Outcome verdict;
  private Instant quietSince;
  private boolean endWanted;

  /** The decision of a cutover of this daemon; the target may not have heard of it yet. */
  private Decision decision;

  /** Number of running commands for single tables; no cutover begins meanwhile. */
  private int tableCommands;

  private CountDownLatch ended = new CountDownLatch(1);
  private final CountDownLatch closing = new CountDownLatch(1);

  public CutoverCoordinator(
      TaskContext context,
      PhaseTracker phases,
      CurrentReplication current,
      Fences fences,
      Map<String, Object> kafka,
      Clock clock) {
    this.context = context;
    this.phases = phases;
    this.current = current;
    this.fences = fences;
    this.kafka = kafka;
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
    this.steps = new CutoverSteps(context);
    TaskPauseNotes notes = new TaskPauseNotes(context, this::record);
    this.hooks = CutoverHooks.of(context.config(), notes);
    this.watch = new SourceWatch(context, phases, current.runtime(), kafka, clock);
    this.after = new AfterCutover(context, steps, watch, intervals);
    this.held = new LeftHeld(hooks, current.runtime(), this::whereHeldBelong);
    this.earlier = new EarlierCutover(context, steps, hooks, notes, held, this::isRunning);
    watch.start();
    held.start();
  }

  /** What the cutover of an earlier daemon has left. */
  public EarlierCutover earlier() {
    return earlier;
  }

  /** Where applications belong that are held though nothing runs. */
  private Optional<CutoverOutcome> whereHeldBelong() {
    Phase phase;
    synchronized (this) {
      if (isRunning() || rehearsing.isRunning()) {
        return Optional.empty();
      }
      phase = phases.phase();
    }
    return switch (phase) {
      case CUT_OVER -> Optional.of(HeldSide.of(context, true));
      case REPLICATING -> Optional.of(CutoverOutcome.RELEASED);
      default -> Optional.empty();
    };
  }

  /**
   * Starts a cutover, or joins the one that is running; waits for the verdict. Returns after at
   * most four times the order's timeout with its budget and CutoverQuietTime, if necessary without
   * a verdict.
   *
   * @param order of a cutover that begins
   */
  public Outcome request(CutoverOrder order) throws InterruptedException {
    if (phases.phase() == Phase.CUT_OVER) {
      Optional<Outcome> returned = after.returned();
      if (returned.isPresent()) {
        return returned.get();
      }
      if (!isValidationLeft()) {
        return after.alreadyDone(isRunning());
      }
    }
    synchronized (this) {
      if (!isRunning()) {
        if (tableCommands > 0) {
          return new Outcome(false, 0, TABLE_COMMAND, List.of());
        }
        if (!begin(order)) {
          return new Outcome(false, 0, inAnotherPhase(), List.of());
        }
      }
      return awaitVerdict(
          order
              .timeout()
              .multipliedBy(4)
              .plus(order.budget().orElse(Duration.ZERO))
              .plus(context.config().taskSettings().get(SluiceSettings.CUTOVER_QUIET_TIME)));
    }
  }

  /**
   * Does all of a cutover up to its decision, and releases the source again. Nothing else is done
   * with single tables meanwhile.
   *
   * @param order with a budget
   */
  public Outcome rehearse(CutoverOrder order) {
    Optional<String> refused = refusal();
    if (refused.isPresent()) {
      return new Outcome(false, 0, refused.get(), List.of());
    }
    return whileNoneRuns(() -> rehearseAlone(order))
        .orElseGet(() -> new Outcome(false, 0, inAnotherPhase(), List.of()));
  }

  private Outcome rehearseAlone(CutoverOrder order) {
    return rehearsing
        .run(
            () -> {
              Rehearsal rehearsal = new Rehearsal(context, fences, this, hooks, clock);
              current.runtime().rehearsal(rehearsal::status);
              return rehearsal.run(order);
            })
        .orElseGet(
            () ->
                new Outcome(
                    false,
                    0,
                    "another rehearsal runs, or the daemon ends; nothing is changed",
                    List.of()));
  }

  /** Why no cutover can begin now; empty if one can. */
  public synchronized Optional<String> refusal() {
    if (!isRunning() && tableCommands > 0) {
      return Optional.of(TABLE_COMMAND);
    }
    return phases.phase() == Phase.REPLICATING && !isRunning()
        ? Optional.empty()
        : Optional.of(inAnotherPhase());
  }

  private String inAnotherPhase() {
    return "the task is in phase %s; a cutover begins in phase %s"
        .formatted(phases.phase().text(), Phase.REPLICATING.text());
  }

  private synchronized Outcome awaitVerdict(Duration timeout) throws InterruptedException {
    Instant deadline = intervals.instant().plus(timeout);
    while (verdict == null) {
      long left = Duration.between(intervals.instant(), deadline).toMillis();
      if (left <= 0) {
        return Outcome.of(
            Ending.UNDECIDED,
            timeout.toMillis() / 1000.0,
            "undecided: the cutover still runs after %d s (%s). Point no application elsewhere until sluice status shows that it is done or failed; with --quiet-period keep them off. Run sluice cutover again to wait for it"
                .formatted(
                    timeout.toSeconds(),
                    Optional.ofNullable(current.runtime().cutover())
                        .map(TaskStatus.Cutover::step)
                        .orElse("it begins")),
            List.of());
      }
      wait(left);
    }
    return verdict;
  }

  /**
   * Continues with the steps after source and target were proven equal; returns at once. A cutover
   * that still runs continues itself, since it no longer needs the replication.
   */
  public synchronized void finish() {
    ended();
    if (isRunning()) {
      return;
    }
    // Read again: that cutover may have been given up since the caller read it.
    steps
        .quietSince()
        .ifPresent(
            since -> {
              quietSince = since;
              begin(CutoverOrder.quiet(RESUMED_TIMEOUT));
            });
  }

  /** Whether no cutover runs and none has proven source and target equal. */
  public synchronized boolean isGivenUp() {
    return !isRunning() && quietSince == null;
  }

  /** Work with tables, beside which no cutover runs. */
  public interface Work<T, E extends Exception> {
    T run() throws E;
  }

  /**
   * Runs the work and keeps a cutover from beginning meanwhile.
   *
   * @return empty, without running it, if a cutover runs or has proven source and target equal
   */
  public <T, E extends Exception> Optional<T> whileNoneRuns(Work<T, E> work) throws E {
    synchronized (this) {
      if (!isGivenUp()) {
        return Optional.empty();
      }
      tableCommands++;
    }
    try {
      return Optional.of(work.run());
    } finally {
      synchronized (this) {
        tableCommands--;
      }
    }
  }

  /** Claims the next epoch; on the main thread. */
  public Checkpoint claim(Supplier<Checkpoint> next) {
    return steps.claim(next);
  }

  @Override
  public void claimed(Checkpoint newest) {
    steps.claimed(newest);
  }

  @Override
  public synchronized boolean wantsEnd() {
    return endWanted;
  }

  @Override
  public synchronized void ended() {
    endWanted = false;
    ended.countDown();
  }

  /**
   * Interrupts a running cutover, which then counts as failed. After source and target were proven
   * equal it waits for its end instead, for at most 30 s; the next start does what is left. Called
   * when the replication has ended.
   */
  public void close() throws InterruptedException {
    Thread running;
    synchronized (this) {
      running = thread;
    }
    watch.close();
    closing.countDown();
    rehearsing.close(CLOSE_TIMEOUT);
    if (running != null) {
      if (isFinishing() && !isDecided()) {
        ended();
      } else {
        // A running validation continues at the next start.
        running.interrupt();
      }
      running.join(CLOSE_TIMEOUT.toMillis());
      if (running.isAlive()) {
        // It waits for a server. The next start does what is left.
        running.interrupt();
        running.join(CLOSE_TIMEOUT.toMillis());
      }
    }
    held.close();
  }

  @Override
  public void leftHeld(List<Problem> problems) {
    held.add(problems);
  }

  @Override
  public Optional<String> held() {
    return held.words();
  }

  @Override
  public Replication replication() throws InterruptedException {
    return Polling.every(POLL_INTERVAL).untilPresent(current::get);
  }

  @Override
  public Map<String, Object> kafka() {
    return kafka;
  }

  @Override
  public void underEpoch(Consumer<Checkpoint> work) {
    steps.underEpoch(work);
  }

  @Override
  public void record(String step, String state, String detail) {
    steps.record(step, state, detail);
  }

  @Override
  public void completion(TableCompletion running) {
    current.runtime().completion(running);
  }

  @Override
  public void decided(Decision newDecision) throws InterruptedException {
    synchronized (this) {
      quietSince = newDecision.begun();
      decision = newDecision;
    }
    noteDecided();
  }

  @Override
  public void noteDecided() throws InterruptedException {
    Decision known;
    synchronized (this) {
      known = decision;
    }
    if (known != null && steps.open().isPresent()) {
      steps.noteDecided(known);
    }
  }

  @Override
  public Optional<Decision> decision() {
    return steps.decision();
  }

  @Override
  public boolean awaitClosing(Duration longest) throws InterruptedException {
    return closing.await(longest.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void problem(Optional<String> now) {
    current.runtime().problem(ProblemKind.CUTOVER, now);
  }

  @Override
  public void endReplication() throws InterruptedException {
    synchronized (this) {
      if (quietSince == null) {
        quietSince = clock.instant();
      }
    }
    wantEnd().await();
  }

  /** Nothing more is applied soon after it; returns what waits for that. */
  private synchronized CountDownLatch wantEnd() {
    endWanted = ended.getCount() > 0;
    return ended;
  }

  private synchronized boolean isFinishing() {
    return quietSince != null;
  }

  private synchronized boolean isRunning() {
    return runs;
  }

  /** Starts the cutover's thread; false if the replication is not running. */
  private boolean begin(CutoverOrder order) {
    Instant finishFrom = quietSince;
    if (finishFrom == null && !phases.enterFrom(Phase.REPLICATING, Phase.CUTTING_OVER, "ordered")) {
      return false;
    }
    Cutover cutover = new Cutover(context, fences, this, hooks, order, clock);
    current.runtime().cutover(cutover::status);
    verdict = null;
    if (finishFrom == null) {
      ended = new CountDownLatch(1);
    }
    runs = true;
    thread = new Thread(() -> run(cutover, finishFrom), "sluice-cutover");
    thread.start();
    return true;
  }

  private void run(Cutover cutover, Instant finishFrom) {
    try {
      if (finishFrom == null) {
        cutover.run();
      } else {
        cutover.finish(finishFrom);
      }
      end(decided());
    } catch (InterruptedException e) {
      end(broken(cutover, "the daemon ends", () -> failed(cutover, BROKEN_OFF)));
    } catch (SluiceException e) {
      String reason = e.getMessage();
      end(broken(cutover, reason, () -> giveUp(cutover, reason)));
    } catch (RuntimeException | Error e) {
      LOG.error("the cutover has failed: {}", e.toString(), e);
      end(broken(cutover, e.toString(), () -> giveUp(cutover, e.toString())));
    } finally {
      endIfCurrent();
    }
  }

  /** After {@link #end} another cutover may run already. */
  private synchronized void endIfCurrent() {
    if (thread == Thread.currentThread()) {
      runs = false;
    }
  }

  private synchronized void end(Outcome last) {
    runs = false;
    decide(last);
  }

  private synchronized Outcome decided() {
    return verdict;
  }

  /**
   * Ends a cutover that was interrupted or failed. A verdict stands, and after source and target
   * were proven equal it cannot be given up.
   *
   * @param before run if source and target were not yet proven equal
   */
  private Outcome broken(Cutover cutover, String reason, Supplier<Outcome> before) {
    if (isDecided()) {
      cutover.validationLeft(reason);
      return decided();
    }
    if (cutover.isAsking()) {
      LOG.warn("the cutover ends while the source decides: {}", reason);
      cutover.brokenOff(reason);
      return Outcome.of(Ending.UNDECIDED, 0, UNKNOWN, List.of());
    }
    if (!isFinishing()) {
      return before.get();
    }
    LOG.warn("the last steps of the cutover failed: {}", reason);
    cutover.brokenOff(reason);
    problem(Optional.of("the cutover's last steps broke off: " + reason));
    wantEnd();
    return Outcome.of(
        Ending.UNDECIDED,
        0,
        "not done yet: source and target were proven equal, nothing more is applied, and the last"
            + " steps failed. Point no application elsewhere, and start none: fix the cause, and run"
            + " sluice cutover again; the daemon also continues when it starts: "
            + reason,
        List.of());
  }

  @Override
  public void usable(double seconds, boolean open, boolean moved, List<String> report) {
    Outcome outcome = after.usable(seconds, open, moved, report, this::canAskSource);
    // Has no effect if the daemon is ending meanwhile.
    phases.enterFrom(
        Phase.CUTTING_OVER, Phase.CUT_OVER, "the cutover is done; stop ends the daemon");
    decide(outcome);
  }

  /**
   * A source that has decided is closed, and may be lost. While the replication runs its log is in
   * use, and what comes is still applied.
   */
  private boolean canAskSource() {
    return current.get().isEmpty() && decision().isEmpty();
  }

  private synchronized void decide(Outcome outcome) {
    verdict = outcome;
    notifyAll();
  }

  private synchronized boolean isDecided() {
    return verdict != null;
  }

  private Outcome failed(Cutover cutover, String reason) {
    LOG.warn("the cutover has failed: {}", reason);
    String words = reason + held().map("; "::concat).orElse("");
    cutover.failed(words);
    return new Outcome(false, 0, "the cutover failed: " + words, List.of());
  }

  /**
   * Returns to replication. The failure is reported only after the target has recorded it: users
   * start their applications on the source then, so no later start may finish this cutover. An
   * earlier write of another step may have succeeded although its answer was lost. A cutover that
   * never asked the source to decide cannot be finished by anybody, so nobody waits for the record.
   */
  private Outcome giveUp(Cutover cutover, String reason) {
    if (!cutover.mustRecordFailure()) {
      phases.enterFrom(Phase.CUTTING_OVER, Phase.REPLICATING, "the cutover failed");
      return failed(cutover, reason);
    }
    cutover.givingUp(reason);
    try {
      steps.noteFailed(reason);
    } catch (InterruptedException | SluiceException e) {
      String why =
          e instanceof InterruptedException ? "the daemon ended meanwhile" : e.getMessage();
      return failed(
          cutover,
          reason
              + "; that could not be recorded on the target: "
              + why
              + cutover.adviceWithoutRecord());
    }
    phases.enterFrom(Phase.CUTTING_OVER, Phase.REPLICATING, "the cutover failed");
    return failed(cutover, reason);
  }

  /** Whether the target can be used but not all of its constraints are validated. */
  private boolean isValidationLeft() {
    return !isRunning() && steps.quietSince().isPresent();
  }

  /** See {@link AfterCutover#returned}. */
  public Optional<Outcome> returned() {
    return after.returned();
  }
}
