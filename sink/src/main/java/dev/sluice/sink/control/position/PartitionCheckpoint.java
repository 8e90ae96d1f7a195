package dev.sluice.sink.control.position;

import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * The checkpoint of a topic partition on the target. Immutable.
 *
 * @param epoch number of claims, if the partition is claimed by itself; else 0
 * @param topicId Kafka's id of the topic that the offset belongs to; empty before the first start
 */
public record PartitionCheckpoint(
    TopicPartition partition, long epoch, PartitionOffset place, Optional<String> topicId) {

  /** The same with the epoch of its next claim. */
  PartitionCheckpoint nextClaim() {
    return new PartitionCheckpoint(partition, epoch + 1, place, topicId);
  }

  public PartitionCheckpoint at(PartitionOffset other, String id) {
    return new PartitionCheckpoint(partition, epoch, other, Optional.of(id));
  }
}
