package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import java.util.Optional;

/**
 * The server whose log the capture of a task reads. Meanwhile the source's address may lead to
 * another server, while the capture's connection stays. The end of the other server's log says
 * nothing about what the capture has read. Owned by the task's {@link LogMemory}; threadsafe.
 */
public final class CapturedServer {
  private volatile String identity;
  private volatile int timeline;
  private volatile SluiceException left;

  /**
   * A capture begins to read the log of this server.
   *
   * @param newTimeline of the capture's positions
   */
  synchronized void begin(LogServer server, int newTimeline) {
    identity = server.identity();
    timeline = newTimeline;
    left = null;
  }

  /** The identity of the server; empty while no capture reads. */
  public Optional<String> identity() {
    return Optional.ofNullable(identity);
  }

  /**
   * The capture has to leave this server.
   *
   * @param why it ends with
   */
  public synchronized void leave(String server, SluiceException why) {
    if (server.equals(identity)) {
      left = why;
    }
  }

  /** Why the capture has to leave its server; empty if it may stay. */
  Optional<SluiceException> left() {
    return Optional.ofNullable(left);
  }

  /**
   * Converts a place in the captured server's log to one with the task's timeline.
   *
   * @param asked the identity of the server that returned the place
   * @param before the timeline before that server was asked
   * @throws SluiceException.Retryable if it is another server, or the capture's was changed
   */
  public BinlogPosition placed(BinlogPosition place, String asked, int before) {
    require(asked);
    if (timeline != before) {
      throw new SluiceException.Retryable(
          "the source was replaced by another server while it was asked for the end of its log",
          null);
    }
    return place.on(before);
  }

  /** The timeline of the capture's positions, or of those of the last one. */
  public int timeline() {
    return timeline;
  }

  /** The capture has ended. The next one may read any server with the same history. */
  synchronized void end(LogServer server) {
    if (server.identity().equals(identity)) {
      identity = null;
    }
  }

  /**
   * Requires that no capture reads another server than this one.
   *
   * @param asked the identity of the server that answered a query about the log
   * @throws SluiceException.Retryable if it is another one
   */
  public void require(String asked) {
    String captured = identity;
    if (captured != null && !captured.equals(asked)) {
      throw new SluiceException.Retryable(
          new Problem(
                  "source",
                  "server " + asked + " answers at its address",
                  "server " + captured + ", whose binary log the capture reads",
                  "If the server was replaced by another one, end the old one, or stop the daemon"
                      + " and start it again: the start asks whether the log of the new one has"
                      + " the same history")
              .toString(),
          null);
    }
  }
}
