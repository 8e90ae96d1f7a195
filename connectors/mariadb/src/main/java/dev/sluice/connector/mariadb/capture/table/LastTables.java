package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * What the last capture of a task knew of its tables where its reading ended. The next one begins
 * before that place, and knows the same once it has come there. Threadsafe.
 */
public final class LastTables {
  /**
   * @param at the end of a transaction, or of what came after it
   */
  public record Known(Position at, KnownTables tables) {}

  private Known last;

  /** Keeps what an ended capture knew: nothing changes these tables any more. */
  public synchronized void keep(Known known) {
    last = known;
  }

  public synchronized Optional<Known> get() {
    return Optional.ofNullable(last);
  }
}
