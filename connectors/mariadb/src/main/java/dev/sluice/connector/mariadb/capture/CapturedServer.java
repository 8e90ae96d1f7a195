package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import java.util.Optional;

/**
 * The server whose log the capture of a task reads. An address may lead to another one meanwhile,
 * while the capture's connection stays where it is: the end of that one's log says nothing of what
 * the capture has read. Owned by the task's memory; threadsafe.
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

  /** Why the capture has to leave its server; empty if it has not to. */
  Optional<SluiceException> left() {
    return Optional.ofNullable(left);
  }

  /**
   * A place in the log of the server that the capture reads, as one of the task's log.
   *
   * @param asked the identity of the server that told the place
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

  /** The capture has ended: the next one begins wherever the history is the same. */
  synchronized void end(LogServer server) {
    if (server.identity().equals(identity)) {
      identity = null;
    }
  }

  /**
   * Returns if no capture reads, or this is its server.
   *
   * @param asked the identity of the server that answers a question about the log
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
