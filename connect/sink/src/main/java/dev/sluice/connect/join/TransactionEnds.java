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
 * The transaction topic: its ends in commit order, those that came again left out, and what has
 * begun without one. Owned by the task's thread.
 */
final class TransactionEnds {
  /** Ends that wait, at the most; the topic is not needed as long as one does. */
  private static final int MOST = 20_000;

  private final TopicPartition topic;

  /** Not handled yet; the first one is that of the oldest transaction. */
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  private long due;

  /** The last end that was read. */
  private Position lastRead;

  /** The transaction that has begun and not ended, and the first one that broke off so. */
  private Begun begun;

  private Begun torn;

  private record Waiting(End end, long offset) {}

  private record Begun(String xid, long offset) {}

  /**
   * @param topic its only partition
   * @param offset from where it is read
   * @param lastRead the last end that was read before
   */
  TransactionEnds(TopicPartition topic, long offset, Position lastRead) {
    this.topic = topic;
    this.due = offset;
    this.lastRead = lastRead;
  }

  /** Whether the record was read before; else it counts as read from now on. */
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
   * @throws SluiceException.Fatal where an end was lost, or the record belongs elsewhere
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

  /** That of the oldest transaction; null where none waits. */
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

  /** Where reading is to begin again: each end that waits comes, and each begin without one. */
  long neededOffset() {
    long needed = waiting.isEmpty() ? due : waiting.peekFirst().offset();
    needed = begun == null ? needed : Math.min(needed, begun.offset());
    return torn == null ? needed : Math.min(needed, torn.offset());
  }

  private void take(End end, long offset) {
    boolean isNew = end.position().isAfter(lastRead);
    leave(end.xid());
    begun = null;
    if (torn != null && torn.xid().equals(end.xid())) {
      torn = null;
    }
    if (!isNew) {
      return;
    }
    if (torn != null) {
      throw new SluiceException.Fatal(
          new Problem(
              "%s, offset %d".formatted(topic, offset),
              "transaction %s ends at %s, but transaction %s, which broke off before, has not come again"
                  .formatted(end.xid(), end.position(), torn.xid()),
              "transactions in the order of their commits",
              "Ends were lost between Debezium and this topic: load the tables again"));
    }
    lastRead = end.position();
    waiting.addLast(new Waiting(end, offset));
  }

  /** Another transaction follows: one that has begun and not ended broke off. */
  private void leave(String next) {
    if (begun != null && !begun.xid().equals(next) && torn == null) {
      torn = begun;
    }
  }
}
