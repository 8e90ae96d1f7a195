package dev.sluice.connector.journal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The queue of decoded events that are not published yet, in the log's order. It is bounded by
 * bytes: the decoder waits while the queue is full; a batch above the bound is accepted alone. One
 * thread puts, one takes.
 */
public final class EventQueue {
  private static final Duration LONG = Duration.ofHours(1);

  private final long capacityBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<EventBatch> batches = new ArrayDeque<>();
  private long bytes;
  private boolean closed;

  /**
   * @param capacityBytes the bound, in bytes of the log
   */
  public EventQueue(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  /**
   * Adds a batch; waits while the queue is full. After {@link #close} the batch is discarded:
   * nothing more is published, and the log is read again from the slot's position.
   */
  public void put(EventBatch batch) throws InterruptedException {
    while (!offer(batch, LONG)) {
      continue;
    }
  }

  /**
   * Like {@link #put}, but gives up.
   *
   * @return false if the queue stayed full for that time, and the batch is not in it
   */
  public boolean offer(EventBatch batch, Duration timeout) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = timeout.toNanos();
      while (!closed && !batches.isEmpty() && bytes + batch.bytes() > capacityBytes) {
        if (left <= 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      if (!closed) {
        batches.add(batch);
        bytes += batch.bytes();
        changed.signal();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Removes the next batch; empty if none arrived within the timeout. */
  public Optional<EventBatch> take(Duration timeout) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = timeout.toNanos();
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

  /** From now on {@link #put} discards batches and never waits. */
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
