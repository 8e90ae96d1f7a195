package dev.sluice.connector.api.source;

import java.time.Instant;
import java.util.Optional;

/**
 * An open transaction of the source that has written something. Immutable.
 *
 * @param name {@code process 4711} or {@code prepared transaction 'abc'}
 * @param since its start; empty if this role may not see it
 * @param user its role; empty if that role was dropped
 */
public record OpenTransaction(String name, Optional<Instant> since, Optional<String> user) {
  @Override
  public String toString() {
    return name
        + " of "
        + user.orElse("an unknown user")
        + since
            .map(begun -> " since " + begun)
            .orElse(" since an unknown time (pg_read_all_stats would show it)");
  }
}
