package dev.sluice.connect.join;

import org.apache.kafka.common.TopicPartition;

/** Rare requests of the join to Kafka. */
public interface JoinRequests {

  /**
   * The present number of a topic's partitions; 0 if it does not exist.
   *
   * @throws dev.sluice.config.document.SluiceException.Retryable if Kafka does not respond
   */
  int partitions(String topic);

  /**
   * True if a partition has records at an offset or after it.
   *
   * @throws dev.sluice.config.document.SluiceException.Retryable if Kafka does not respond
   */
  boolean hasRecords(TopicPartition partition, long from);
}
