package dev.sluice.connect.join;

import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionOffset;
import java.util.ArrayDeque;
import org.apache.kafka.common.TopicPartition;

/** The queue of events that were read from a partition of a table's topic. Owned by one thread. */
final class PartitionQueue {
  private final TopicPartition partition;
  private final ArrayDeque<ReadEvent> events = new ArrayDeque<>();
  private long bytes;
  private long due;

  /** The target's position when the partition was added, until a transaction has an event of it. */
  private Position takenInAfter;

  /** Offset of the first event that was gathered for the oldest transaction; -1 if none was. */
  private long gatheredFrom = -1;

  /**
   * @param start where reading starts; its commit is described in {@link TransactionJoin.Start}
   */
  PartitionQueue(TopicPartition partition, PartitionOffset start) {
    this.partition = partition;
    this.due = start.nextOffset();
    this.takenInAfter = start.commit();
  }

  TopicPartition partition() {
    return partition;
  }

  /** True if the record was read before; otherwise marks it as read. */
  boolean hasRead(long offset) {
    if (offset < due) {
      return true;
    }
    due = offset + 1;
    return false;
  }

  /** Offset of the next record that was not read. */
  long due() {
    return due;
  }

  void add(ReadEvent event) {
    events.addLast(event);
    bytes += event.retainedBytes();
  }

  /** The first event; null if the queue is empty. */
  ReadEvent head() {
    return events.peekFirst();
  }

  ReadEvent remove() {
    ReadEvent event = events.removeFirst();
    bytes -= event.retainedBytes();
    return event;
  }

  /** Removes the first event, for a transaction that is not complete yet. */
  ReadEvent gather() {
    ReadEvent event = remove();
    gatheredFrom = gatheredFrom < 0 ? event.offset() : gatheredFrom;
    takenInAfter = Position.ZERO;
    return event;
  }

  /** True if gathered events wait for others of their transaction. */
  boolean isGathered() {
    return gatheredFrom >= 0;
  }

  /** Records that the gathered events were returned. */
  void given() {
    gatheredFrom = -1;
  }

  long bytes() {
    return bytes;
  }

  /** The offset up to which no event waits. */
  PartitionOffset place() {
    return new PartitionOffset(nextOffset(), takenInAfter, 0);
  }

  private long nextOffset() {
    if (isGathered()) {
      return gatheredFrom;
    }
    return events.isEmpty() ? due : events.peekFirst().offset();
  }

  /** True if it has events of later transactions: those of the oldest one come before them. */
  boolean isPast() {
    return head() != null && !(head().record() instanceof SnapshotRow);
  }

  /**
   * True if it was added later than others and no transaction has had an event of it. Rows of a
   * snapshot do not change that: changes after them may have been skipped.
   */
  boolean isNew() {
    return !takenInAfter.equals(Position.ZERO);
  }
}
