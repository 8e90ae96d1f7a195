package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The fences of a task. Nothing is written on the source: a fence is the end of the log at the time
 * when it was set. The capture journals it when it has read up to there. A fence that a capture has
 * not journaled durably is journaled by the next one. Threadsafe.
 */
public final class LogFences {
  /** The maximum number of fences; nobody waits for so many. */
  private static final int KEPT = 1000;

  /** A number above those of all fences, which no fence has. */
  private static final long END = 0xFFFF_FFFFL;

  private final Deque<Fence> waiting = new ArrayDeque<>();
  private long number = Instant.now().getEpochSecond();

  /**
   * A fence.
   *
   * @param end the place up to which the log must be read
   * @param position by which the sink reports it
   * @param asked a time, by this machine's clock, before the end was read: everything after the
   *     fence was committed later
   */
  record Fence(BinlogPosition end, Position position, Instant asked) {}

  /**
   * Sets a fence.
   *
   * @param end the end of the log, read before this call
   * @param asked a time before it was read, by this machine's clock
   * @return its position, with which the sink reports it after all changes up to that end
   */
  public synchronized Position set(BinlogPosition end, Instant asked) {
    Fence fence = new Fence(end, end.position(nextNumber(), 0), asked);
    waiting.add(fence);
    if (waiting.size() > KEPT) {
      waiting.remove();
    }
    return fence.position();
  }

  /**
   * Sets the last position of the journal, so that later numbers are higher even if the clock was
   * set back. Forgets waiting fences of another server's log, whose end says nothing about this
   * one.
   *
   * @param journaled where a capture continues
   */
  synchronized void continueAfter(Position journaled) {
    waiting.removeIf(fence -> fence.end().timeline() != BinlogPosition.of(journaled).timeline());
    long known = BinlogPosition.numberOf(journaled);
    if (known < END) {
      number = Math.max(number, known);
    }
  }

  /** The fences that are not durable in the journal, in the order in which they were set. */
  synchronized List<Fence> waiting() {
    return List.copyOf(waiting);
  }

  /** The fence is durable in the journal. */
  synchronized void journaled(Fence fence) {
    waiting.remove(fence);
  }

  /**
   * The position of a snapshot, above those of all fences at the same place.
   *
   * @param snapshot its position after the transaction that ends there
   */
  public synchronized Position behindFences(Position snapshot) {
    return BinlogPosition.of(snapshot).position(nextNumber(), BinlogPosition.markOf(snapshot));
  }

  /**
   * A number that is higher than all before it, including those of an earlier process: it starts
   * with the seconds since 1970, and fences are set less often than once a second.
   */
  synchronized long nextNumber() {
    number++;
    return number;
  }
}
