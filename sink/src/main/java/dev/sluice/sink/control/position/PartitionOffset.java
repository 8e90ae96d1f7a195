package dev.sluice.sink.control.position;

import dev.sluice.connector.api.Position;

/**
 * How far a partition of a topic has been applied. Immutable.
 *
 * @param nextOffset offset from which reading continues
 * @param commit for the topic of transactions: the last transaction end that was handled. For a
 *     table's topic beside it: the position up to which transactions were applied before the
 *     partition had a part in one. For a partition with its own order: the commit before the
 *     transaction of the last event
 * @param order that event's number in its transaction; 0 if the partition has no order of its own
 */
public record PartitionOffset(long nextOffset, Position commit, long order) {

  /** The start of a partition of which nothing is applied. */
  public static PartitionOffset beginning(long offset) {
    return new PartitionOffset(offset, Position.ZERO, 0);
  }

  /** The start of a partition that is added when others are applied up to this position. */
  public PartitionOffset takenInAfter(Position applied) {
    return new PartitionOffset(nextOffset, applied, 0);
  }
}
