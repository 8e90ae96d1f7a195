package dev.sluice.engine.cutover;

import dev.sluice.config.MonotonicClock;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.cutover.CutoverCoordinator.Work;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Whether a cutover runs, whether source and target are proven equal, and the verdict. Shared by
 * the coordinator's callers, the cutover's thread and the daemon's main thread, which alone ends
 * the replication. Threadsafe.
 */
final class CutoverState {
  private static final String TABLE_COMMAND = "a command for single tables is running, try again";

  private final PhaseTracker phases;
  private final Clock clock;

  /** For elapsed time: it never goes back. */
  private final Clock intervals;

  private final CountDownLatch closing = new CountDownLatch(1);
  private CountDownLatch ended = new CountDownLatch(1);

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

  CutoverState(PhaseTracker phases, Clock clock) {
    this.phases = phases;
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
  }

  Phase phase() {
    return phases.phase();
  }

  /** The phase, if no cutover runs. */
  synchronized Optional<Phase> phaseAtRest() {
    return runs ? Optional.empty() : Optional.of(phases.phase());
  }

  synchronized boolean isRunning() {
    return runs;
  }

  /** Whether a cutover has proven source and target equal. */
  synchronized boolean isFinishing() {
    return quietSince != null;
  }

  /** Whether no cutover runs and none has proven source and target equal. */
  synchronized boolean isGivenUp() {
    return !runs && quietSince == null;
  }

  /** Why no cutover can begin now; empty if one can. */
  synchronized Optional<String> refusal() {
    if (!runs && tableCommands > 0) {
      return Optional.of(TABLE_COMMAND);
    }
    return phases.phase() == Phase.REPLICATING && !runs
        ? Optional.empty()
        : Optional.of(inAnotherPhase());
  }

  String inAnotherPhase() {
    return "the task is in phase %s; a cutover begins in phase %s"
        .formatted(phases.phase().text(), Phase.REPLICATING.text());
  }

  /** See {@link CutoverCoordinator#whileNoneRuns}. */
  <T, E extends Exception> Optional<T> whileNoneRuns(Work<T, E> work) throws E {
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

  /**
   * Begins a cutover, unless one runs, and waits for the verdict.
   *
   * @param made the thread of a cutover, by when source and target were proven equal; empty if they
   *     are not yet
   * @return that it cannot begin, or the verdict; empty if there is none after the timeout
   */
  synchronized Optional<Outcome> request(Function<Optional<Instant>, Thread> made, Duration timeout)
      throws InterruptedException {
    if (!runs && tableCommands > 0) {
      return Optional.of(new Outcome(false, 0, TABLE_COMMAND, List.of()));
    }
    if (!runs && !begin(made)) {
      return Optional.of(new Outcome(false, 0, inAnotherPhase(), List.of()));
    }
    return awaitVerdict(timeout);
  }

  private Optional<Outcome> awaitVerdict(Duration timeout) throws InterruptedException {
    Instant deadline = intervals.instant().plus(timeout);
    while (verdict == null) {
      long left = Duration.between(intervals.instant(), deadline).toMillis();
      if (left <= 0) {
        return Optional.empty();
      }
      wait(left);
    }
    return Optional.of(verdict);
  }

  /**
   * Continues with the steps after source and target were proven equal; does nothing if a cutover
   * runs, which continues itself.
   *
   * @param proven when they were; empty if that cutover was given up meanwhile
   */
  synchronized void finish(
      Supplier<Optional<Instant>> proven, Function<Optional<Instant>, Thread> made) {
    ended();
    if (runs) {
      return;
    }
    proven
        .get()
        .ifPresent(
            since -> {
              quietSince = since;
              begin(made);
            });
  }

  /** Starts the cutover's thread; false if the replication is not running. */
  private boolean begin(Function<Optional<Instant>, Thread> made) {
    if (quietSince == null && !phases.enterFrom(Phase.REPLICATING, Phase.CUTTING_OVER, "ordered")) {
      return false;
    }
    thread = made.apply(Optional.ofNullable(quietSince));
    verdict = null;
    if (quietSince == null) {
      ended = new CountDownLatch(1);
    }
    runs = true;
    thread.start();
    return true;
  }

  /** Source and target are equal since the decision. */
  synchronized void decided(Decision made) {
    quietSince = made.begun();
    decision = made;
  }

  /** The decision of a cutover of this daemon; null before it. */
  synchronized Decision decision() {
    return decision;
  }

  /**
   * Asks the main thread to end the replication: nothing more is applied soon after it. Source and
   * target are equal from now on, if not before.
   */
  void endReplication() throws InterruptedException {
    synchronized (this) {
      if (quietSince == null) {
        quietSince = clock.instant();
      }
    }
    wantEnd().await();
  }

  /** Asks the main thread to end the replication; returns what waits for that. */
  synchronized CountDownLatch wantEnd() {
    endWanted = ended.getCount() > 0;
    return ended;
  }

  synchronized boolean wantsEnd() {
    return endWanted;
  }

  /** The replication has ended. */
  synchronized void ended() {
    endWanted = false;
    ended.countDown();
  }

  /** The verdict of the cutover that runs, or of the last one; null if there is none yet. */
  synchronized Outcome verdict() {
    return verdict;
  }

  /** Publishes the verdict; the cutover may still have steps to do. */
  synchronized void decide(Outcome outcome) {
    verdict = outcome;
    notifyAll();
  }

  /** The target is the database to use. The phase stays if the daemon is ending meanwhile. */
  void usable(Outcome outcome) {
    phases.enterFrom(
        Phase.CUTTING_OVER, Phase.CUT_OVER, "the cutover is done; stop ends the daemon");
    decide(outcome);
  }

  /** The task goes on with its replication. */
  void givenUp() {
    phases.enterFrom(Phase.CUTTING_OVER, Phase.REPLICATING, "the cutover failed");
  }

  /** The cutover has ended with this verdict; another one may begin. */
  synchronized void end(Outcome last) {
    runs = false;
    decide(last);
  }

  /** Called last by the cutover's thread. After {@link #end} another cutover may run already. */
  synchronized void endIfCurrent() {
    if (thread == Thread.currentThread()) {
      runs = false;
    }
  }

  /** The thread of the last cutover; null if there was none. */
  synchronized Thread thread() {
    return thread;
  }

  /** The daemon ends. */
  void close() {
    closing.countDown();
  }

  /** See {@link CutoverTask#awaitClosing}. */
  boolean awaitClosing(Duration longest) throws InterruptedException {
    return closing.await(longest.toMillis(), TimeUnit.MILLISECONDS);
  }
}
