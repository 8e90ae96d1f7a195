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
 * One partition that has an order of its own: takes each event once, and puts the halves of a key's
 * change together. Owned by the task's thread.
 */
final class PartitionStream {
  /**
   * How long the second half of a key's change may be behind, where it may be elsewhere as well.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /*
   * Debezium is at least once, and its events are in commit order in each partition. So an event
   * that is not after the last one, by the commit before its transaction and its number in that, is
   * a repetition.
   */
  private final TopicPartition partition;
  private final EventFolding folding;
  private long due;

  private Position commit;
  private long order;

  /** The only transaction that has no commit before it. */
  private String firstXid;

  private long repeated;

  /** Up to the event that is held back; null where none is. */
  private PartitionOffset beforeHeld;

  private Instant heldSince;

  PartitionStream(TopicPartition partition, PartitionOffset start, Consumer<ChangeEvent> changes) {
    this.partition = partition;
    this.due = start.nextOffset();
    this.commit = start.commit();
    this.order = start.order();
    this.folding = new EventFolding(changes);
  }

  /** Whether the record was read before; else it counts as read from now on. */
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

  /** Gives up waiting for a second half that is elsewhere, or none. */
  void flushWhereDue(boolean mayBeElsewhere, Instant now) {
    if (beforeHeld != null && mayBeElsewhere && heldSince.plus(PATIENCE).isBefore(now)) {
      flush();
    }
  }

  /** Gives out what is held back: something else follows it. */
  void flush() {
    folding.flush();
    beforeHeld = null;
  }

  boolean isHolding() {
    return beforeHeld != null;
  }

  /** Up to where everything was given out. */
  PartitionOffset place() {
    return beforeHeld == null ? new PartitionOffset(due, commit, order) : beforeHeld;
  }

  TopicPartition partition() {
    return partition;
  }

  /** How many events came again since the last call. */
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
              "an event that does not tell the commit before it, after those of another transaction:"
                  + " the source connector began anew, and may repeat what was applied",
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

  /** Whether another transaction has had no commit before it. */
  private boolean isAnother(Membership membership) {
    return firstXid != null && !firstXid.equals(membership.xid());
  }

  private String place(long offset) {
    return "%s, offset %d".formatted(partition, offset);
  }
}
