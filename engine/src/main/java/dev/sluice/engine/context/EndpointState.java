package dev.sluice.engine.context;

import dev.sluice.engine.status.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether a server that the task needs answers. Immutable.
 *
 * @param name {@code source}, {@code target} or {@code kafka}
 * @param lastOk when it answered last; empty where it never has
 * @param problem why it did not answer the last time; empty where it did, or was not asked yet
 */
public record EndpointState(String name, Optional<Instant> lastOk, Optional<String> problem) {
  /** A question that is under way for so long counts as one without an answer. */
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
