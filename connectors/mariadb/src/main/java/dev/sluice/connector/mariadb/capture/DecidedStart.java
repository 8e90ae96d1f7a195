package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import java.util.Optional;

/**
 * What the last start of a task decided about the position where the task continues. Threadsafe.
 */
public final class DecidedStart {
  private record Decided(Position last, Position from, Optional<LogBookmark> bookmark) {}

  private volatile Decided decided = new Decided(Position.ZERO, Position.ZERO, Optional.empty());

  /**
   * Keeps the decision of a start.
   *
   * @param last the last position that the target or the journal has
   * @param from the same, or the place in another server's log where the task continues
   * @param bookmark the transactions before both; empty if they are not known
   */
  public void keep(Position last, Position from, Optional<LogBookmark> bookmark) {
    decided = new Decided(last, from, bookmark);
  }

  /** The position from which the log is read, for a task with this last position. */
  public Position from(Position last) {
    Decided known = decided;
    return known.last().equals(last) ? known.from() : last;
  }

  /** The transactions before a position; empty if they are not known. */
  Optional<LogBookmark> bookmark(Position from) {
    Decided known = decided;
    return known.from().equals(from) ? known.bookmark() : Optional.empty();
  }
}
