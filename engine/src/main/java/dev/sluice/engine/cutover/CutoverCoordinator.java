package dev.sluice.engine.cutover;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.CutoverRequests;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes orders for a cutover, runs one at a time on a thread of its own, and hands between that
 * thread and the daemon's main thread, which alone ends the replication. Threadsafe.
 */
public final class CutoverCoordinator implements Cutover.Live, CutoverRequests {
  private static final Logger LOG = LoggerFactory.getLogger(CutoverCoordinator.class);

  /** For a cutover that goes on by itself after a restart. */
  private static final Duration RESUMED_PATIENCE = Duration.ofMinutes(5);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);
  private static final String BROKEN_OFF =
      "broken off, since the daemon ends; give the order again when that runs";

  private static final Duration SLOT_PATIENCE = Duration.ofSeconds(10);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(30);

  private final TaskContext parts;
  private final PhaseTracker life;
  private final CurrentReplication current;
  private final Fences fences;
  private final Map<String, Object> kafka;
  private final Clock clock;

  /** What is decided by how much time has passed. */
  private final Clock intervals;

  private final CutoverSteps steps;
  private final SourceWatch watch;

  private Thread thread;
  private Outcome verdict;
  private Instant quietSince;
  private boolean endWanted;

  /** Under way; no cutover begins meanwhile. */
  private int tableOrders;

  private CountDownLatch ended = new CountDownLatch(1);

  public CutoverCoordinator(
      TaskContext parts,
      PhaseTracker life,
      CurrentReplication current,
      Fences fences,
      Map<String, Object> kafka,
      Clock clock) {
    this.parts = parts;
    this.life = life;
    this.current = current;
    this.fences = fences;
    this.kafka = kafka;
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
    this.steps = new CutoverSteps(parts);
    this.watch = new SourceWatch(parts, life, current.board(), kafka, clock);
    watch.start();
  }

  /**
   * Cuts over, or joins the cutover that is under way; waits for the verdict.
   *
   * @param patience for each wait of a cutover that begins; the answer comes after four times that,
   *     where need be without a verdict
   */
  public Outcome order(Duration patience) throws InterruptedException {
    if (life.phase() == Phase.CUT_OVER && !isValidationLeft()) {
      return alreadyDone();
    }
    synchronized (this) {
      if (!isRunning()) {
        if (tableOrders > 0) {
          return new Outcome(
              false, 0, "an order about single tables is being taken, try again", List.of());
        }
        if (!begin(patience)) {
          return new Outcome(
              false,
              0,
              "the task is in phase %s; a cutover begins in phase %s"
                  .formatted(life.phase().text(), Phase.REPLICATING.text()),
              List.of());
        }
      }
      return awaitVerdict(
          patience.multipliedBy(4).plus(parts.config().taskSettings().sluice().cutoverQuietTime()));
    }
  }

  private synchronized Outcome awaitVerdict(Duration patience) throws InterruptedException {
    Instant deadline = intervals.instant().plus(patience);
    while (verdict == null) {
      long left = Duration.between(intervals.instant(), deadline).toMillis();
      if (left <= 0) {
        return Outcome.of(
            Ending.UNDECIDED,
            patience.toMillis() / 1000.0,
            "undecided: the cutover still runs after %d s (%s), and was not broken off. Leave the applications off until sluice status says that it is done or failed; sluice cutover given again waits for it"
                .formatted(
                    patience.toSeconds(),
                    Optional.ofNullable(current.board().cutover())
                        .map(TaskStatus.Cutover::step)
                        .orElse("it begins")),
            List.of());
      }
      wait(left);
    }
    return verdict;
  }

  /**
   * Notes that a cutover failed which an earlier daemon had begun. It is not begun again by itself:
   * nobody knows whether the applications are still off.
   */
  public synchronized void failBrokenOff() {
    if (isRunning()) {
      return;
    }
    LOG.warn(
        "the cutover that was under way when the daemon ended counts as failed, the task"
            + " replicates on; to cut over, give the order again");
    steps.record(TaskStepNames.CUTOVER_FAILED, "broken off by the daemon's end");
  }

  /**
   * Goes on with the steps after both sides were seen equal; returns at once. Where the cutover
   * that saw them equal still runs, it goes on itself: it needs no replication any more.
   */
  public synchronized void finish() {
    if (isRunning()) {
      ended();
      return;
    }
    // Read again: that cutover may have been given up since the caller looked.
    steps
        .quietSince()
        .ifPresent(
            since -> {
              quietSince = since;
              begin(RESUMED_PATIENCE);
            });
  }

  /** Whether no cutover runs and none has seen both sides equal. */
  public synchronized boolean isGivenUp() {
    return !isRunning() && quietSince == null;
  }

  /**
   * Does what no cutover may begin beside.
   *
   * @return empty where one is under way, or has seen both sides equal
   */
  public <T> Optional<T> whileNoneRuns(Supplier<T> work) {
    synchronized (this) {
      if (!isGivenUp()) {
        return Optional.empty();
      }
      tableOrders++;
    }
    try {
      return Optional.of(work.get());
    } finally {
      synchronized (this) {
        tableOrders--;
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
   * Breaks a cutover off, which then counts as failed; after both sides were seen equal, lets it
   * finish, or go on at the next start. Called when the replication has ended.
   */
  public void close() throws InterruptedException {
    Thread running;
    synchronized (this) {
      running = thread;
    }
    watch.close();
    if (running != null) {
      if (isFinishing() && !isDecided()) {
        ended();
      } else {
        // A validation that is under way goes on at the next start.
        running.interrupt();
      }
      running.join(CLOSE_PATIENCE.toMillis());
    }
  }

  @Override
  public Replication replication() throws InterruptedException {
    while (true) {
      Optional<Replication> running = current.get();
      if (running.isPresent()) {
        return running.get();
      }
      Thread.sleep(LOOK_AGAIN.toMillis());
    }
  }

  @Override
  public Map<String, Object> kafka() {
    return kafka;
  }

  @Override
  public void record(String state, String detail) {
    steps.record(state, detail);
  }

  @Override
  public void completion(TableCompletion running) {
    current.board().completion(running);
  }

  @Override
  public void endReplication() throws InterruptedException {
    synchronized (this) {
      quietSince = clock.instant();
      endWanted = true;
    }
    ended.await();
  }

  private synchronized boolean isFinishing() {
    return quietSince != null;
  }

  private synchronized boolean isRunning() {
    return thread != null && thread.isAlive();
  }

  /** Says whether it has begun: not where the replication is being built anew meanwhile. */
  private boolean begin(Duration patience) {
    Instant finishFrom = quietSince;
    if (finishFrom == null && !life.enterFrom(Phase.REPLICATING, Phase.CUTTING_OVER, "ordered")) {
      return false;
    }
    Cutover cutover = new Cutover(parts, fences, this, patience, clock);
    current.board().cutover(cutover::status);
    verdict = null;
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
    } catch (InterruptedException e) {
      decide(broken(cutover, "the daemon ends", () -> failed(cutover, BROKEN_OFF)));
    } catch (SluiceException e) {
      String reason = e.getMessage();
      decide(broken(cutover, reason, () -> giveUp(cutover, reason)));
    } catch (RuntimeException | Error e) {
      LOG.error("the cutover fails: {}", e.toString(), e);
      decide(broken(cutover, e.toString(), () -> giveUp(cutover, e.toString())));
    }
  }

  /**
   * What has been decided stands, and after both sides were seen equal there is no way back.
   *
   * @param before what to do where it has not come to that
   */
  private Outcome broken(Cutover cutover, String reason, Supplier<Outcome> before) {
    if (isDecided()) {
      cutover.validationLeft(reason);
      synchronized (this) {
        return verdict;
      }
    }
    if (!isFinishing()) {
      return before.get();
    }
    LOG.warn("the last steps of the cutover broke off: {}", reason);
    cutover.brokenOff(reason);
    return Outcome.of(
        Ending.UNDECIDED,
        0,
        "not done yet: both sides were seen equal, nothing is applied any more, and the last steps"
            + " broke off. Leave the applications off, mend that, and give the order again; the"
            + " daemon goes on by itself when it starts: "
            + reason,
        List.of());
  }

  @Override
  public void usable(double seconds, boolean open, List<String> report) {
    List<String> details = new ArrayList<>(report);
    Optional<String> written = Optional.empty();
    try {
      written = lookAtSource();
    } catch (SluiceException e) {
      details.add("what the source did since could not be looked at: " + e.getMessage());
    }
    String done =
        open
            ? "cut over: the target can be used, its constraints are being validated; sluice status"
                + " tells how far that is"
            : "cut over";
    // Not where the daemon is ending meanwhile.
    life.enterFrom(Phase.CUTTING_OVER, Phase.CUT_OVER, "the cutover is done; stop ends the daemon");
    decide(
        written.isPresent()
            ? Outcome.of(Ending.NOT_COVERED, seconds, done + ", but " + written.get(), details)
            : new Outcome(true, seconds, done, details));
  }

  /** The slot is free a moment after the capture's end. */
  private Optional<String> lookAtSource() {
    Instant deadline = intervals.instant().plus(SLOT_PATIENCE);
    while (true) {
      try {
        return watch.look();
      } catch (SluiceException e) {
        if (intervals.instant().isAfter(deadline)) {
          throw e;
        }
        LockSupport.parkNanos(LOOK_AGAIN.toNanos());
      }
    }
  }

  private synchronized void decide(Outcome outcome) {
    verdict = outcome;
    notifyAll();
  }

  private synchronized boolean isDecided() {
    return verdict != null;
  }

  private Outcome failed(Cutover cutover, String reason) {
    LOG.warn("the cutover fails: {}", reason);
    cutover.failed(reason);
    return new Outcome(false, 0, "the cutover failed: " + reason, List.of());
  }

  /**
   * Replicates on. Whoever hears that it failed switches the applications on, so that is said only
   * once the target cannot remember anything else: also the answer to a note before this one may
   * have been lost.
   */
  private Outcome giveUp(Cutover cutover, String reason) {
    cutover.givingUp(reason);
    try {
      steps.noteFailed(reason);
    } catch (InterruptedException | SluiceException e) {
      String why =
          e instanceof InterruptedException ? "the daemon ended meanwhile" : e.getMessage();
      return failed(
          cutover,
          reason
              + "; that could not be noted on the target: "
              + why
              + ". Leave the applications off until the daemon runs again and sluice status says"
              + " whether the task is cut over");
    }
    life.enterFrom(Phase.CUTTING_OVER, Phase.REPLICATING, "the cutover failed");
    return failed(cutover, reason);
  }

  /** Whether the target can be used and its constraints were not all validated. */
  private boolean isValidationLeft() {
    return !isRunning() && steps.quietSince().isPresent();
  }

  private Outcome alreadyDone() {
    String done =
        isRunning() ? "cut over already, its constraints are being validated" : "cut over already";
    return watch
        .written()
        .map(
            written -> Outcome.of(Ending.NOT_COVERED, 0, done + ", but " + written, steps.report()))
        .orElseGet(() -> new Outcome(true, 0, done, steps.report()));
  }
}
