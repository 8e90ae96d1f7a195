package dev.sluice.connect.join;

import org.apache.kafka.common.TopicPartition;

/** What the join asks of Kafka, seldom. */
public interface Cluster {

  /**
   * How many partitions a topic has at present; 0 where there is no such topic.
   *
   * @throws dev.sluice.config.document.SluiceException.Retryable where Kafka does not answer
   */
  int partitions(String topic);

  /**
   * Whether a partition has records at an offset or behind it.
   *
   * @throws dev.sluice.config.document.SluiceException.Retryable where Kafka does not answer
   */
  boolean hasRecords(TopicPartition partition, long from);
}
