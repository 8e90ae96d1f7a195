package dev.sluice.connector.mariadb.capture.position;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import dev.sluice.connector.mariadb.server.EqualAgain;

/*
 * The header of an event has the lower 32 bits of the offset of its end, and inside a transaction
 * some releases write none. So sizes are summed. A file can be larger than 4 GiB: the server begins
 * another one only after a transaction, however large that is.
 */
/**
 * The offset in its file at which each event ends. The sum of the sizes must agree with what the
 * events say. Owned by the thread that reads the log.
 */
public final class LogOffset {
  private static final long MASK = 0xFFFF_FFFFL;

  /**
   * The maximum bytes of events that the server does not send, such as one about its encryption
   * key.
   */
  private static final long LEFT_OUT = 64 * 1024;

  private long end;

  /**
   * @param start where the first event begins
   */
  public LogOffset(long start) {
    this.end = start;
  }

  /** Continues in another file, where the next event begins at this offset. */
  public void goTo(long offset) {
    end = offset;
  }

  /**
   * The offset after the next event; after the one before, if this one is in no file.
   *
   * @param inTransaction whether the event is inside a transaction, of which the server sends all
   *     events
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
              EqualAgain.byResync()));
    }
    end = sum + leftOut;
    return end;
  }
}
