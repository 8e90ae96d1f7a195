package dev.sluice.connect.join;

import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionOffset;
import java.util.ArrayDeque;
import org.apache.kafka.common.TopicPartition;

/**
 * What was read from a partition of a table's topic and waits for its turn. Owned by one thread.
 */
final class PartitionQueue {
  private final TopicPartition partition;
  private final ArrayDeque<ReadEvent> events = new ArrayDeque<>();
  private long bytes;
  private long due;

  /** What was on the target when it was taken in, until a transaction has an event of it. */
  private Position takenInAfter;

  /** The first event that was gathered for the oldest transaction; -1 where none was. */
  private long gatheredFrom = -1;

  /**
   * @param start from where records come; its commit as {@link TransactionJoin.Start} says
   */
  PartitionQueue(TopicPartition partition, PartitionOffset start) {
    this.partition = partition;
    this.due = start.nextOffset();
    this.takenInAfter = start.commit();
  }

  TopicPartition partition() {
    return partition;
  }

  /** Whether the record was read before; else it counts as read from now on. */
  boolean hasRead(long offset) {
    if (offset < due) {
      return true;
    }
    due = offset + 1;
    return false;
  }

  /** Of the next record that was not read. */
  long due() {
    return due;
  }

  void add(ReadEvent event) {
    events.addLast(event);
    bytes += event.retainedBytes();
  }

  /** Null where it is empty. */
  ReadEvent head() {
    return events.peekFirst();
  }

  ReadEvent remove() {
    ReadEvent event = events.removeFirst();
    bytes -= event.retainedBytes();
    return event;
  }

  /** Removes the first event for a transaction that is not whole yet. */
  ReadEvent gather() {
    ReadEvent event = remove();
    gatheredFrom = gatheredFrom < 0 ? event.offset() : gatheredFrom;
    takenInAfter = Position.ZERO;
    return event;
  }

  /** Whether events of it wait for others of their transaction. */
  boolean isGathered() {
    return gatheredFrom >= 0;
  }

  /** What was gathered is given out. */
  void given() {
    gatheredFrom = -1;
  }

  long bytes() {
    return bytes;
  }

  /** Up to where nothing of it waits any more. */
  PartitionOffset place() {
    return new PartitionOffset(nextOffset(), takenInAfter, 0);
  }

  private long nextOffset() {
    if (isGathered()) {
      return gatheredFrom;
    }
    return events.isEmpty() ? due : events.peekFirst().offset();
  }

  /** Whether events of later transactions are there: the oldest one's come before them. */
  boolean isPast() {
    return head() != null && !(head().record() instanceof SnapshotRow);
  }

  /**
   * Whether it was taken in after others, and no transaction has had an event of it. Rows of a
   * snapshot do not change that: changes that follow them may have been left out.
   */
  boolean isNew() {
    return !takenInAfter.equals(Position.ZERO);
  }
}
