package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.Optional;

/**
 * The server whose log the capture of a task reads. An address may lead to another one meanwhile,
 * while the capture's connection stays where it is: the end of that one's log says nothing of what
 * the capture has read. Owned by the task's memory; threadsafe.
 */
public final class CapturedServer {
  /** One answer may be that of an address which is just being moved, and back. */
  private static final int ANSWERS = 3;

  private volatile String identity;
  private volatile int timeline;
  private volatile String leaving;
  private String successor;
  private int answers;

  /**
   * A capture begins to read the log of this server.
   *
   * @param newTimeline of the capture's positions
   */
  synchronized void begin(LogServer server, int newTimeline) {
    identity = server.identity();
    timeline = newTimeline;
    leaving = null;
    successor = null;
  }

  /**
   * Which server answers over a new connection to the source's address. The capture is to end if it
   * is another one several times in a row that takes writes: an address that leads to replicas by
   * turns is no change of the primary. It is also to end if its own server logs changes no more.
   */
  public synchronized void answered(AddressedServer asked) {
    if (identity == null) {
      return;
    }
    if (asked.identity().equals(identity)) {
      successor = null;
      asked.unlogged().ifPresent(problem -> leaving = problem.toString());
      return;
    }
    if (!asked.isWritten()) {
      successor = null;
      return;
    }
    answers = asked.identity().equals(successor) ? answers + 1 : 1;
    successor = asked.identity();
    if (answers >= ANSWERS) {
      leaving =
          "server %s has taken the source's address, and the capture reads the log of %s: the task starts again, and finds out whether the new one's log has all that the target lacks"
              .formatted(successor, identity);
    }
  }

  /** Why the capture is to end at the end of a transaction; empty if it is not. */
  Optional<String> leaving() {
    return Optional.ofNullable(leaving);
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
                  "If the other one has replaced it, end the old one, or wait: while changes are"
                      + " applied the task starts again by itself once the new one takes writes, and"
                      + " asks whether its log has the same history")
              .toString(),
          null);
    }
  }
}
