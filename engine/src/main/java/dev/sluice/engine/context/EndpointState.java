package dev.sluice.engine.context;

import dev.sluice.engine.status.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether a server that the task needs responds. Immutable.
 *
 * @param name {@code source}, {@code target} or {@code kafka}
 * @param lastOk time of its last response; empty if there was none
 * @param problem why the last request failed; empty if it succeeded, or before the first one
 */
public record EndpointState(String name, Optional<Instant> lastOk, Optional<String> problem) {
  /** A request that is in flight for longer counts as failed. */
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(30);

  public static EndpointState unknown(String name) {
    return new EndpointState(name, Optional.empty(), Optional.empty());
  }

  public EndpointState answered(Instant now) {
    return new EndpointState(name, Optional.of(now), Optional.empty());
  }

  public EndpointState failed(String why) {
    return new EndpointState(name, lastOk, Optional.of(why));
  }

  public TaskStatus.Endpoint at(Instant now) {
    boolean silent =
        lastOk.isPresent() && Duration.between(lastOk.get(), now).compareTo(LONGEST_SILENCE) > 0;
    String why =
        problem.orElse(silent ? "no answer for " + LONGEST_SILENCE.toSeconds() + " s" : null);
    return new TaskStatus.Endpoint(
        name, lastOk.isPresent() && why == null, lastOk.orElse(null), why);
  }
}
