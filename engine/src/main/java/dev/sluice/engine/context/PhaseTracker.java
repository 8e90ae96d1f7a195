package dev.sluice.engine.context;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The phase of a task and how it came to it. Changed by the daemon's main thread and by the thread
 * of a cutover, read by everyone.
 */
public final class PhaseTracker {
  private static final Logger LOG = LoggerFactory.getLogger(PhaseTracker.class);

  private final String task;
  private final Clock clock;
  private final Runnable entered;
  private State state;

  public PhaseTracker(String task, Clock clock) {
    this(task, clock, () -> {});
  }

  /**
   * @param entered called in each new phase, by the thread that brought it about
   */
  public PhaseTracker(String task, Clock clock, Runnable entered) {
    this.task = task;
    this.clock = clock;
    this.entered = entered;
    this.state = new State(Phase.STARTING, clock.instant(), "");
  }

  public synchronized State state() {
    return state;
  }

  public synchronized Phase phase() {
    return state.phase();
  }

  /** Why the task does nothing any more, in words; empty where it still does. */
  public synchronized Optional<String> end() {
    return switch (state.phase()) {
      case FAILED -> Optional.of("the task has failed: " + state.reason());
      case STOPPED -> Optional.of("the task has stopped");
      default -> Optional.empty();
    };
  }

  /**
   * Goes on to a phase.
   *
   * @param reason why, for the log and the status; never a secret
   * @throws IllegalStateException where that phase cannot follow
   */
  public synchronized void enter(Phase next, String reason) {
    if (state.phase() != next) {
      transition(next, reason);
    }
  }

  /** Goes on only where the task is in that phase; says whether it was. */
  public synchronized boolean enterFrom(Phase from, Phase next, String reason) {
    if (state.phase() != from) {
      return false;
    }
    transition(next, reason);
    return true;
  }

  /** Goes on to a phase, but for a task that is in the one to be kept. */
  public synchronized void enterUnless(Phase kept, Phase next, String reason) {
    if (state.phase() != kept) {
      enter(next, reason);
    }
  }

  private void transition(Phase next, String reason) {
    Phase last = state.phase();
    if (!last.mayBecome(next)) {
      throw new IllegalStateException(
          "BUG: task %s cannot go from %s to %s (%s)"
              .formatted(task, last.text(), next.text(), reason));
    }
    Instant now = clock.instant();
    LOG.info(
        "task {}: {} -> {} after {} s: {}",
        task,
        last.text(),
        next.text(),
        Duration.between(state.since(), now).toMillis() / 1000.0,
        reason);
    state = new State(next, now, reason);
    entered.run();
  }

  /**
   * A phase, since when and why. Immutable.
   *
   * @param reason empty at the beginning
   */
  public record State(Phase phase, Instant since, String reason) {}
}
