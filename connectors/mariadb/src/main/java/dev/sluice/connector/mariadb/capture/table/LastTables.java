package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * The tables as the last capture of a task knew them where it ended. The next one begins before
 * that place, and can use them once it has reached it. Threadsafe.
 */
public final class LastTables {
  /**
   * @param at the end of a transaction or of an event after it
   */
  public record Known(Position at, KnownTables tables) {}

  private Known last;

  /** Keeps the tables of a capture that has ended, so that nothing changes them any more. */
  public synchronized void keep(Known known) {
    last = known;
  }

  public synchronized Optional<Known> get() {
    return Optional.ofNullable(last);
  }
}
