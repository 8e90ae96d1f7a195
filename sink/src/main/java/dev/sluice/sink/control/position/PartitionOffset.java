package dev.sluice.sink.control.position;

import dev.sluice.connector.api.Position;

/**
 * How far a partition of a topic has been applied. Immutable.
 *
 * @param nextOffset from which reading goes on
 * @param commit of the topic of transactions: the last end that was handled. Of a table's topic
 *     beside it: up to where transactions were applied without the partition, as long as it has had
 *     a part in none. Where each partition has an order of its own: the commit before the
 *     transaction of the last event
 * @param order that event's number in its transaction; 0 where the order is not the partition's own
 */
public record PartitionOffset(long nextOffset, Position commit, long order) {

  /** A partition of which nothing is applied. */
  public static PartitionOffset beginning(long offset) {
    return new PartitionOffset(offset, Position.ZERO, 0);
  }

  /** Of a partition that is taken in when others have been applied up to there. */
  public PartitionOffset takenInAfter(Position applied) {
    return new PartitionOffset(nextOffset, applied, 0);
  }
}
