package dev.sluice.connector.api.source;

import java.time.Instant;
import java.util.Optional;

/**
 * A client session of the source's database. What this role may not see is empty. Immutable.
 *
 * @param application its application name
 * @param address its IP address; empty also for a local socket
 * @param active when it last began or ended a statement
 */
public record SourceSession(
    long pid,
    Optional<String> user,
    Optional<String> application,
    Optional<String> address,
    Optional<Instant> active) {

  /** Whether it may have run a statement since the given moment. */
  public boolean mayHaveActedSince(Instant moment) {
    return active.isEmpty() || !active.get().isBefore(moment);
  }

  @Override
  public String toString() {
    return "process %d of %s%s%s, %s"
        .formatted(
            pid,
            user.orElse("an unknown user"),
            application.map(name -> " (" + name + ")").orElse(""),
            address.map(from -> " from " + from).orElse(""),
            active
                .map(at -> "last active " + at)
                .orElse("active at an unknown time (pg_read_all_stats would show it)"));
  }
}
