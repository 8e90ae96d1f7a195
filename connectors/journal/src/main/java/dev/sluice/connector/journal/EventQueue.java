package dev.sluice.connector.journal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What was decoded and is not published yet, in the log's order. Bounded by bytes: who decodes
 * waits while too much lies here; a batch above the bound passes alone. One thread puts, one takes.
 */
public final class EventQueue {
  private final long capacityBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<EventBatch> batches = new ArrayDeque<>();
  private long bytes;
  private boolean closed;

  /**
   * @param capacityBytes bytes of the log that may wait
   */
  public EventQueue(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  /**
   * Waits for room. After {@link #close} the batch is dropped: nothing is published any more, and
   * the log is read again from the slot's position.
   */
  public void put(EventBatch batch) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed && !batches.isEmpty() && bytes + batch.bytes() > capacityBytes) {
        changed.await();
      }
      if (!closed) {
        batches.add(batch);
        bytes += batch.bytes();
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The next batch; empty where none came in that time. */
  public Optional<EventBatch> take(Duration patience) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = patience.toNanos();
      while (batches.isEmpty() && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (batches.isEmpty()) {
        return Optional.empty();
      }
      EventBatch batch = batches.poll();
      bytes -= batch.bytes();
      changed.signal();
      return Optional.of(batch);
    } finally {
      lock.unlock();
    }
  }

  /** From now on nobody waits to put. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
