package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import java.util.Optional;

/**
 * What the last start of a task has found out about the position at which it goes on. Threadsafe.
 */
public final class DecidedStart {
  private record Decided(Position last, Position from, Optional<LogBookmark> bookmark) {}

  private volatile Decided decided = new Decided(Position.ZERO, Position.ZERO, Optional.empty());

  /**
   * Keeps what a start has decided.
   *
   * @param last the last position that target or journal have
   * @param from the same, or the place of another server at which the task goes on
   * @param bookmark the transactions behind both; empty if they are not known
   */
  public void keep(Position last, Position from, Optional<LogBookmark> bookmark) {
    decided = new Decided(last, from, bookmark);
  }

  /** The position at which the log is read on that goes on after a last position. */
  public Position from(Position last) {
    Decided known = decided;
    return known.last().equals(last) ? known.from() : last;
  }

  /** Empty if it is not known which transactions are behind the position. */
  Optional<LogBookmark> bookmark(Position from) {
    Decided known = decided;
    return known.from().equals(from) ? known.bookmark() : Optional.empty();
  }
}
