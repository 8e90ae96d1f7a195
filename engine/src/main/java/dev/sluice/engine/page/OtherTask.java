package dev.sluice.engine.page;

import dev.sluice.engine.status.LastState;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/**
 * Another task of this machine, as its daemon last wrote its state into its own directory.
 * Immutable.
 *
 * @param state what is known of its daemon
 * @param at when the daemon wrote it
 * @param problem what keeps it from working; null if nothing does
 * @param behindSeconds null if unknown, or nothing is applied
 * @param address where its page is, {@code host:port}; null if it has none
 * @param origin where browsers reach its page through a proxy; null if they do not
 */
record OtherTask(
    String task,
    State state,
    String phase,
    Instant at,
    String problem,
    Double behindSeconds,
    String address,
    String origin) {

  /** A daemon writes its state every five seconds; a machine may be busy. */
  static final Duration SILENCE = Duration.ofSeconds(30);

  private static final Set<String> ENDED = Set.of("stopped", "failed");

  /** What is known of a daemon by the age of what it wrote. */
  enum State {
    RUNNING,
    ENDED,
    /** It did not say that it ended, and writes no more. */
    SILENT
  }

  static OtherTask of(LastState last, String address, String origin, Instant now) {
    return new OtherTask(
        last.task(),
        state(last, now),
        last.phase(),
        last.at(),
        last.problem() == null && last.phase().equals("failed") ? last.reason() : last.problem(),
        last.behindSeconds(),
        address,
        origin);
  }

  private static State state(LastState last, Instant now) {
    if (ENDED.contains(last.phase())) {
      return State.ENDED;
    }
    return last.at().plus(SILENCE).isBefore(now) ? State.SILENT : State.RUNNING;
  }
}
