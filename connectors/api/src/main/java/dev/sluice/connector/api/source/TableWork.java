package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import java.util.Optional;

/**
 * Work of the source's server on a table that holds a lock until it ends. Immutable.
 *
 * @param kind what is done
 * @param process the server process that does it
 * @param user whose session it is; empty for the server's own
 */
public record TableWork(Kind kind, long process, Optional<String> user, TableId table) {

  /** What is done. */
  public enum Kind {
    /** It does not give way to others. */
    WRAPAROUND_VACUUM,
    /** This role may not see whether it is to prevent wraparound. */
    VACUUM_OF_UNKNOWN_REASON,
    INDEX_BUILD
  }

  @Override
  public String toString() {
    return "%s: process %d%s".formatted(table, process, user.map(of -> " of " + of).orElse(""));
  }
}
