package dev.sluice.sink.control.position;

import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * How far a partition has got, as the target remembers it. Immutable.
 *
 * @param epoch how often the partition was claimed, where it is claimed by itself; else 0
 * @param topicId Kafka's id of the topic that the offset counts in; empty before the first start
 */
public record PartitionCheckpoint(
    TopicPartition partition, long epoch, PartitionOffset place, Optional<String> topicId) {

  public PartitionCheckpoint at(PartitionOffset other, String id) {
    return new PartitionCheckpoint(partition, epoch, other, Optional.of(id));
  }
}
