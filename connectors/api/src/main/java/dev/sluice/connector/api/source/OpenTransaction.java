package dev.sluice.connector.api.source;

import java.time.Instant;
import java.util.Optional;

/**
 * An open transaction of the source that has written something. Immutable.
 *
 * @param name {@code process 4711} or {@code prepared transaction 'abc'}
 * @param id distinguishes it from later transactions of the same session
 * @param since its start; empty if this role may not see it
 * @param user its role; empty if that role was dropped
 * @param application its session's application name; empty if it has none
 */
public record OpenTransaction(
    String name,
    String id,
    Optional<Instant> since,
    Optional<String> user,
    Optional<String> application) {
  @Override
  public String toString() {
    return name
        + " of "
        + user.orElse("an unknown user")
        + application.map(own -> " (" + own + ")").orElse("")
        + since
            .map(begun -> " since " + begun)
            .orElse(" since an unknown time (pg_read_all_stats would show it)");
  }
}
