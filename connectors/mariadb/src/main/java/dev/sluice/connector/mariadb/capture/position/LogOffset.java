package dev.sluice.connector.mariadb.capture.position;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;

/*
 * The header of an event has the lower 32 bits of the offset of its end, and inside a transaction
 * some releases write none. So sizes are summed. A file can be larger than 4 GiB: the server begins
 * another one only behind a transaction, however large that is.
 */
/**
 * The offset in its file at which each event ends. The sum of the sizes must agree with what the
 * events say. Owned by the thread that reads the log.
 */
public final class LogOffset {
  private static final long MASK = 0xFFFF_FFFFL;

  /** Events that the server keeps to itself, such as one with the number of its key. */
  private static final long LEFT_OUT = 64 * 1024;

  private long end;

  /**
   * @param start where the first event begins
   */
  public LogOffset(long start) {
    this.end = start;
  }

  /** The next event begins there, in another file. */
  public void goTo(long offset) {
    end = offset;
  }

  /**
   * The offset behind the next event; behind the one before, if this one is in no file.
   *
   * @param inTransaction whether it is between the beginning and the end of a transaction, of which
   *     the server sends all
   * @throws SluiceException.Fatal if the event says something else
   */
  public long after(LogEvent event, boolean inTransaction) {
    boolean heartbeat = EventType.isHeartbeat(event.type());
    if (event.artificial() || event.end() == 0 && !inTransaction || heartbeat && inTransaction) {
      return end;
    }
    long sum = heartbeat ? end : end + event.size();
    long leftOut = event.end() == 0 ? 0 : event.end() - sum & MASK;
    if (leftOut > (inTransaction ? 0 : LEFT_OUT)) {
      throw new SluiceException.Fatal(
          new Problem(
              "the binary log",
              "an event of type %d that ends at offset %d modulo 4 GiB by its header, and at %d by the sizes of the events"
                  .formatted(event.type(), event.end(), sum),
              "a log of which each event is sent",
              "Load the tables again: sluice stop --drop, and then sluice run"));
    }
    end = sum + leftOut;
    return end;
  }
}
