package dev.sluice.engine.cutover;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.CutoverOutcome;
import dev.sluice.engine.cutover.hook.TaskPauseNotes;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.CutoverRequests;
import dev.sluice.engine.replication.Fences;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives requests for a cutover and runs one at a time on its own thread. Called by the threads
 * of commands and by the daemon's main thread. Threadsafe.
 */
public final class CutoverCoordinator implements CutoverRequests {
  private static final Logger LOG = LoggerFactory.getLogger(CutoverCoordinator.class);

  /** Timeout of a cutover that continues after a restart without a new request. */
  private static final Duration RESUMED_TIMEOUT = Duration.ofMinutes(5);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final TaskContext context;
  private final CurrentReplication current;
  private final Fences fences;
  private final Clock clock;
  private final CutoverState state;
  private final CutoverSteps steps;
  private final CutoverHooks hooks;
  private final SourceWatch watch;
  private final AfterCutover after;
  private final LeftHeld held;
  private final EarlierCutover earlier;
  private final CutoverTask live;
  private final BrokenCutover broken;
  private final RunningRehearsal rehearsing = new RunningRehearsal();

  public CutoverCoordinator(
      TaskContext context,
      PhaseTracker phases,
      CurrentReplication current,
      Fences fences,
      Map<String, Object> kafka,
      Clock clock) {
    this.context = context;
    this.current = current;
    this.fences = fences;
    this.clock = clock;
    this.state = new CutoverState(phases, clock);
    this.steps = new CutoverSteps(context);
    TaskPauseNotes notes = new TaskPauseNotes(context, steps::record);
    this.hooks = CutoverHooks.of(context.config(), notes);
    this.watch = new SourceWatch(context, phases, current.runtime(), kafka, clock);
    this.after = new AfterCutover(context, steps, watch, new MonotonicClock(clock));
    this.held = new LeftHeld(hooks, current.runtime(), this::whereHeldBelong);
    this.earlier = new EarlierCutover(context, steps, hooks, notes, held, state::isRunning);
    this.live = new CutoverTask(current, kafka, steps, state, after, held);
    this.broken = new BrokenCutover(state, steps, live);
    watch.start();
    held.start();
  }

  /** The state that the cutover of an earlier daemon has left. */
  public EarlierCutover earlier() {
    return earlier;
  }

  /** Which side held applications belong to while no cutover runs. */
  private Optional<CutoverOutcome> whereHeldBelong() {
    return state
        .phaseAtRest()
        .filter(phase -> !rehearsing.isRunning())
        .flatMap(
            phase ->
                switch (phase) {
                  case CUT_OVER -> Optional.of(HeldSide.of(context, true));
                  case REPLICATING -> Optional.of(CutoverOutcome.RELEASED);
                  default -> Optional.empty();
                });
  }

  /**
   * Starts a cutover, or joins the one that is running; waits for the verdict. Returns after at
   * most four times the order's timeout with its budget and CutoverQuietTime, if necessary without
   * a verdict.
   *
   * @param order of a cutover that begins
   */
  public Outcome request(CutoverOrder order) throws InterruptedException {
    if (state.phase() == Phase.CUT_OVER) {
      Optional<Outcome> returned = after.returned();
      if (returned.isPresent()) {
        return returned.get();
      }
      if (!isValidationLeft()) {
        return after.alreadyDone(state.isRunning());
      }
    }
    Duration longest =
        order
            .timeout()
            .multipliedBy(4)
            .plus(order.budget().orElse(Duration.ZERO))
            .plus(context.config().taskSettings().get(SluiceSettings.CUTOVER_QUIET_TIME));
    return state
        .request(finishFrom -> thread(order, finishFrom), longest)
        .orElseGet(() -> undecidedAfter(longest));
  }

  private Outcome undecidedAfter(Duration waited) {
    return Outcome.of(
        Ending.UNDECIDED,
        waited.toMillis() / 1000.0,
        "undecided: the cutover still runs after %d s (%s). Point no application elsewhere until sluice status shows that it is done or failed; with --quiet-period keep them off. Run sluice cutover again to wait for it"
            .formatted(
                waited.toSeconds(),
                Optional.ofNullable(current.runtime().cutover())
                    .map(CutoverStatus::step)
                    .orElse("it begins")),
        List.of());
  }

  /**
   * Runs a cutover up to its decision, and then releases the source. Meanwhile no other work with
   * single tables is done.
   *
   * @param order with a budget
   */
  public Outcome rehearse(CutoverOrder order) {
    Optional<String> refused = refusal();
    if (refused.isPresent()) {
      return new Outcome(false, 0, refused.get(), List.of());
    }
    return whileNoneRuns(() -> rehearseAlone(order))
        .orElseGet(() -> new Outcome(false, 0, state.inAnotherPhase(), List.of()));
  }

  private Outcome rehearseAlone(CutoverOrder order) {
    return rehearsing
        .run(
            () -> {
              Rehearsal rehearsal = new Rehearsal(context, fences, live, hooks, clock);
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
  public Optional<String> refusal() {
    return state.refusal();
  }

  /**
   * Continues with the steps after source and target were proven equal; returns at once. A cutover
   * that still runs continues itself, since it no longer needs the replication.
   */
  public void finish() {
    // Read again: that cutover may have been given up since the caller read it.
    state.finish(steps::quietSince, since -> thread(CutoverOrder.quiet(RESUMED_TIMEOUT), since));
  }

  /** Whether no cutover runs and none has proven source and target equal. */
  public boolean isGivenUp() {
    return state.isGivenUp();
  }

  /** Work with tables during which no cutover may run. */
  public interface Work<T, E extends Exception> {
    T run() throws E;
  }

  /**
   * Runs the work and keeps a cutover from beginning meanwhile.
   *
   * @return empty, without running it, if a cutover runs or has proven source and target equal
   */
  public <T, E extends Exception> Optional<T> whileNoneRuns(Work<T, E> work) throws E {
    return state.whileNoneRuns(work);
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
  public boolean wantsEnd() {
    return state.wantsEnd();
  }

  @Override
  public void ended() {
    state.ended();
  }

  /**
   * Interrupts a running cutover, which then counts as failed. After source and target were proven
   * equal it waits for its end instead, for at most 30 s; the next start does what is left. Called
   * when the replication has ended.
   */
  public void close() throws InterruptedException {
    Thread running = state.thread();
    watch.close();
    state.close();
    rehearsing.close(CLOSE_TIMEOUT);
    if (running != null) {
      if (state.isFinishing() && state.verdict() == null) {
        ended();
      } else {
        // A running validation continues at the next start.
        running.interrupt();
      }
      running.join(CLOSE_TIMEOUT.toMillis());
      if (running.isAlive()) {
        // The cutover waits for a server. The next start does the rest.
        running.interrupt();
        running.join(CLOSE_TIMEOUT.toMillis());
      }
    }
    held.close();
  }

  /**
   * Creates the thread of a cutover, and shows it in the status.
   *
   * @param finishFrom when source and target were proven equal; empty to begin with that
   */
  private Thread thread(CutoverOrder order, Optional<Instant> finishFrom) {
    Cutover cutover = new Cutover(context, fences, live, hooks, order, clock);
    current.runtime().cutover(cutover::status);
    return new Thread(() -> run(cutover, finishFrom), "sluice-cutover");
  }

  private void run(Cutover cutover, Optional<Instant> finishFrom) {
    try {
      if (finishFrom.isEmpty()) {
        cutover.run();
      } else {
        cutover.finish(finishFrom.get());
      }
      state.end(state.verdict());
    } catch (InterruptedException e) {
      state.end(broken.interrupted(cutover));
    } catch (SluiceException e) {
      state.end(broken.failedBy(cutover, e.getMessage()));
    } catch (RuntimeException | Error e) {
      LOG.error("the cutover has failed: {}", e.toString(), e);
      state.end(broken.failedBy(cutover, e.toString()));
    } finally {
      state.endIfCurrent();
    }
  }

  /** Whether the target can be used, but some of its constraints are not validated yet. */
  private boolean isValidationLeft() {
    return !state.isRunning() && steps.quietSince().isPresent();
  }

  /** See {@link AfterCutover#returned}. */
  public Optional<Outcome> returned() {
    return after.returned();
  }
}
