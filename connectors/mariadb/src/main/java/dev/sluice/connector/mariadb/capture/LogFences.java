package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The fences of a task. Nothing is written on the source: a fence is the end that the log had when
 * it was set, and the capture journals it when it has read up to there. A fence that no capture has
 * journaled durably is journaled by the next one. Threadsafe.
 */
public final class LogFences {
  /** Nobody waits for as many. */
  private static final int KEPT = 1000;

  /** Stands for the end of all fences, and is none. */
  private static final long END = 0xFFFF_FFFFL;

  private final Deque<Fence> waiting = new ArrayDeque<>();
  private long number = Instant.now().getEpochSecond();

  /**
   * A fence.
   *
   * @param end the place that the log must be read up to
   * @param position by which the sink reports it
   * @param asked when the log ended there at the latest, by this machine's clock: what is behind
   *     the fence was committed later
   */
  record Fence(BinlogPosition end, Position position, Instant asked) {}

  /**
   * Sets a fence.
   *
   * @param end the end of the log, read before this call
   * @param asked a time before it was read, by this machine's clock
   * @return its position, by which the sink reports it after all changes up to that end
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
   * The journal has this position: numbers behind it are higher, even if the clock was set back.
   * The end of another server's log says nothing of this one.
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

  /** Those that are not durable in the journal, in the order in which they were set. */
  synchronized List<Fence> waiting() {
    return List.copyOf(waiting);
  }

  /** The fence is durable in the journal. */
  synchronized void journaled(Fence fence) {
    waiting.remove(fence);
  }

  /**
   * The position of a snapshot behind all fences that were set, which may end at the same place.
   *
   * @param snapshot its position behind the transaction that ends there
   */
  public synchronized Position behindFences(Position snapshot) {
    return BinlogPosition.of(snapshot).position(nextNumber(), BinlogPosition.markOf(snapshot));
  }

  /**
   * A number that is higher than all before it, also those of an earlier process: it begins with
   * the seconds since 1970, and fences are set more rarely than once in a second.
   */
  synchronized long nextNumber() {
    number++;
    return number;
  }
}
