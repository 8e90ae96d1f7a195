package dev.sluice.connect.input;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord.KeyChange;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionOffset;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads one partition with its own order: takes each event once, and combines the two events of a
 * key change. Owned by the task's thread.
 */
final class PartitionStream {
  /**
   * How long to wait for the second event of a key change, which may also be in another partition.
   */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /*
   * Debezium delivers at least once, in commit order within each partition. So an event is a
   * repetition if it is not after the last one, by the commit before its transaction and its number
   * in the transaction.
   */
  private final TopicPartition partition;
  private final EventFolding folding;
  private long due;

  private Position commit;
  private long order;

  /** The only transaction without a commit before it. */
  private String firstXid;

  private long repeated;

  /** The offset before the held event; null if none is held. */
  private PartitionOffset beforeHeld;

  private Instant heldSince;

  PartitionStream(TopicPartition partition, PartitionOffset start, Consumer<ChangeEvent> changes) {
    this.partition = partition;
    this.due = start.nextOffset();
    this.commit = start.commit();
    this.order = start.order();
    this.folding = new EventFolding(changes);
  }

  /** True if the record was read before; otherwise marks it as read. */
  boolean hasRead(long offset) {
    if (offset < due) {
      return true;
    }
    due = offset + 1;
    return false;
  }

  void take(RowEvent event, long offset, Instant now) {
    PartitionOffset before = new PartitionOffset(offset, commit, order);
    if (!isNext(event.membership(), offset)) {
      return;
    }
    folding.take(event, place(offset));
    beforeHeld = null;
    if (event.half() == KeyChange.OLD_KEY) {
      beforeHeld = before;
      heldSince = now;
    }
  }

  void take(Truncated event, long offset) {
    if (isNext(event.membership(), offset)) {
      folding.take(event);
      folding.flush();
      beforeHeld = null;
    }
  }

  /** Ends the wait for the second event of a key change if the timeout has passed. */
  void flushIfDue(boolean mayBeElsewhere, Instant now) {
    if (beforeHeld != null && mayBeElsewhere && heldSince.plus(TIMEOUT).isBefore(now)) {
      flush();
    }
  }

  /** Emits the held event: another one follows it. */
  void flush() {
    folding.flush();
    beforeHeld = null;
  }

  boolean isHolding() {
    return beforeHeld != null;
  }

  /** The offset up to which everything was emitted. */
  PartitionOffset place() {
    return beforeHeld == null ? new PartitionOffset(due, commit, order) : beforeHeld;
  }

  TopicPartition partition() {
    return partition;
  }

  /** The number of repeated events since the last call. */
  long takeRepeated() {
    long count = repeated;
    repeated = 0;
    return count;
  }

  private boolean isNext(Membership membership, long offset) {
    if (membership == null) {
      throw new SluiceException.Fatal(
          new Problem(
              place(offset),
              "an event without its transaction, by which a repetition would be known",
              "events with their transaction",
              "Set provide.transaction.metadata=true on the source connector"));
    }
    Position previous = membership.previous();
    boolean isFirst = previous.equals(Position.ZERO);
    if (isFirst && !commit.equals(Position.ZERO) && membership.xid().equals(firstXid)) {
      repeated++;
      return false;
    }
    if (isFirst && (!commit.equals(Position.ZERO) || isAnother(membership))) {
      throw new SluiceException.Fatal(
          new Problem(
              place(offset),
              "an event that does not tell the commit before it, after those of another"
                  + " transaction: the source connector started again, and may repeat what was"
                  + " applied",
              "one source connector, with its offsets",
              "Make sure that nothing is missing or comes twice, then set this partition's offset"
                  + " by hand (PATCH …/offsets)"));
    }
    int later = previous.compareTo(commit);
    if (later < 0 || later == 0 && membership.order() <= order) {
      repeated++;
      return false;
    }
    commit = previous;
    order = membership.order();
    firstXid = isFirst ? membership.xid() : firstXid;
    return true;
  }

  /** True if an earlier, different transaction also had no commit before it. */
  private boolean isAnother(Membership membership) {
    return firstXid != null && !firstXid.equals(membership.xid());
  }

  private String place(long offset) {
    return "%s, offset %d".formatted(partition, offset);
  }
}
