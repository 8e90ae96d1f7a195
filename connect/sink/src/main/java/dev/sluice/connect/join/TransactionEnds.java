package dev.sluice.connect.join;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.connect.envelope.DebeziumRecord.End;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.Position;
import java.util.ArrayDeque;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads the transaction topic: the ends in commit order without repetitions, and the transactions
 * that have begun without an end. Owned by the task's thread.
 */
final class TransactionEnds {
  /** Maximum number of waiting ends; the topic is not needed while one waits. */
  private static final int MOST = 20_000;

  private final TopicPartition topic;

  /** Ends that are not handled yet; the first one is that of the oldest transaction. */
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  private long due;

  /** The last end that was read. */
  private Position lastRead;

  /** The transaction that has begun and not ended; below, the first one that was interrupted. */
  private Begun begun;

  private Begun interrupted;

  private record Waiting(End end, long offset) {}

  private record Begun(String xid, long offset) {}

  /**
   * @param topic the topic's only partition
   * @param offset the offset from which it is read
   * @param lastRead the last end that was read before
   */
  TransactionEnds(TopicPartition topic, long offset, Position lastRead) {
    this.topic = topic;
    this.due = offset;
    this.lastRead = lastRead;
  }

  /** True if the record was read before; otherwise marks it as read. */
  boolean hasRead(long offset) {
    if (offset < due) {
      return true;
    }
    due = offset + 1;
    return false;
  }

  /**
   * Takes the next record of the topic.
   *
   * @throws SluiceException.Fatal if an end was lost, or the record does not belong into this topic
   */
  void take(DebeziumRecord record, long offset) {
    if (record instanceof Begin begin) {
      leave(begin.xid());
      begun = new Begun(begin.xid(), offset);
    } else if (record instanceof End end) {
      take(end, offset);
    } else if (record instanceof RowEvent
        || record instanceof Truncated
        || record instanceof SnapshotRow) {
      throw Refusals.misplaced(topic, offset, "an event of a table", "a topic of the table");
    }
  }

  /** The end of the oldest transaction; null if none waits. */
  End first() {
    return waiting.isEmpty() ? null : waiting.peekFirst().end();
  }

  void removeFirst() {
    waiting.removeFirst();
  }

  boolean isWaiting(String xid) {
    return waiting.stream().anyMatch(each -> each.end().xid().equals(xid));
  }

  boolean isFull() {
    return waiting.size() > MOST;
  }

  /**
   * The offset for the next start: from there every waiting end comes again, and every begin
   * without an end.
   */
  long neededOffset() {
    long needed = waiting.isEmpty() ? due : waiting.peekFirst().offset();
    needed = begun == null ? needed : Math.min(needed, begun.offset());
    return interrupted == null ? needed : Math.min(needed, interrupted.offset());
  }

  private void take(End end, long offset) {
    boolean isNew = end.position().isAfter(lastRead);
    leave(end.xid());
    begun = null;
    if (interrupted != null && interrupted.xid().equals(end.xid())) {
      interrupted = null;
    }
    if (!isNew) {
      return;
    }
    if (interrupted != null) {
      throw new SluiceException.Fatal(
          new Problem(
              "%s, offset %d".formatted(topic, offset),
              "transaction %s ends at %s, but transaction %s, which broke off before, has not come again"
                  .formatted(end.xid(), end.position(), interrupted.xid()),
              "transactions in the order of their commits",
              "Ends were lost between Debezium and this topic: load the tables again"));
    }
    lastRead = end.position();
    waiting.addLast(new Waiting(end, offset));
  }

  /** Handles the begin or end of another transaction: an open one was interrupted. */
  private void leave(String next) {
    if (begun != null && !begun.xid().equals(next) && interrupted == null) {
      interrupted = begun;
    }
  }
}
