package dev.sluice.connector.postgres.slot;

import java.time.Instant;
import java.util.Optional;

/**
 * A transaction of the source that has changed something and has not ended. Immutable.
 *
 * @param name {@code process 4711} or {@code prepared transaction 'abc'}
 * @param since when it began; empty where this role may not see it
 * @param user who runs it; empty where that role is gone
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
