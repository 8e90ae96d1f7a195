package dev.sluice.connector.mariadb.log;

import dev.sluice.connector.api.Position;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How far this process has read the log for its task. MariaDB stores no such position. The target's
 * checkpoint and the journal have it, and a start decides from them. Threadsafe.
 */
public final class ReadProgress {
  private volatile Supplier<Position> position;

  /** The position from which the log is still needed; empty before the first start. */
  Optional<Position> position() {
    Supplier<Position> known = position;
    return known == null ? Optional.empty() : Optional.of(known.get());
  }

  /** Notes that the log is needed from a fixed position. */
  public void begin(Position at) {
    position = () -> at;
  }

  /** Notes that the log is needed from the position up to which a capture has read it. */
  public void follow(Supplier<Position> acknowledged) {
    position = acknowledged;
  }

  /** Notes that the log is no longer needed. Returns whether it was. */
  boolean forget() {
    boolean known = position != null;
    position = null;
    return known;
  }
}
