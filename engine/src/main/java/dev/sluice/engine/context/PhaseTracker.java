package dev.sluice.engine.context;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The phase of a task, since when and why. Changed by the daemon's main thread and by the thread of
 * a cutover. Threadsafe.
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
   * @param entered called in each new phase, by the thread that entered it
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

  /** Why the task has ended, in words; empty while it runs. */
  public synchronized Optional<String> end() {
    return switch (state.phase()) {
      case FAILED -> Optional.of("the task has failed: " + state.reason());
      case STOPPED -> Optional.of("the task has stopped");
      default -> Optional.empty();
    };
  }

  /**
   * Enters a phase; does nothing if the task is in it already.
   *
   * @param reason why, for the log and the status; never a secret
   * @throws IllegalStateException if that phase cannot follow the present one
   */
  public synchronized void enter(Phase next, String reason) {
    if (state.phase() != next) {
      transition(next, reason);
    }
  }

  /** Enters the next phase only if the task is in {@code from}. Returns whether it was. */
  public synchronized boolean enterFrom(Phase from, Phase next, String reason) {
    if (state.phase() != from) {
      return false;
    }
    transition(next, reason);
    return true;
  }

  /** Enters the next phase unless the task is in {@code kept}. */
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
