package dev.sluice.connector.api.source;

import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a {@link LogRetention}. Immutable.
 *
 * @param confirmed the position up to which Sluice has acknowledged the log
 * @param activePid the server process that reads the log
 * @param lost whether the server has removed log that the task needs
 * @param retainedBytes how much log the server keeps, in bytes
 * @param unreadBytes of it after {@code confirmed}: what the task has still to read. The rest is
 *     kept only because transactions that were open at {@code confirmed} began in it
 * @param room how many more bytes may be written before the server may remove log that the task
 *     needs; empty if no setting limits it
 * @param unreserved whether the server may do so soon
 * @param expiry after which time the server may do so, however little is written; empty if it keeps
 *     log for no fixed time, or the task is not far behind
 */
public record RetentionState(
    Position confirmed,
    OptionalLong activePid,
    boolean lost,
    long retainedBytes,
    long unreadBytes,
    OptionalLong room,
    boolean unreserved,
    Optional<Duration> expiry) {

  /** The state of a log that does not expire. */
  public RetentionState(
      Position confirmed,
      OptionalLong activePid,
      boolean lost,
      long retainedBytes,
      long unreadBytes,
      OptionalLong room,
      boolean unreserved) {
    this(
        confirmed, activePid, lost, retainedBytes, unreadBytes, room, unreserved, Optional.empty());
  }

  /** Log that is kept for open transactions only: the task has read it. */
  public long readBytes() {
    return Math.max(0, retainedBytes - unreadBytes);
  }
}
