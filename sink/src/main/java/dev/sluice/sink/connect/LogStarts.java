package dev.sluice.sink.connect;

import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks Kafka where the logs of partitions begin; over one connection, which is opened when it is
 * needed. Owned by the task's thread.
 */
final class LogStarts
    implements Function<Set<TopicPartition>, Map<TopicPartition, Long>>, AutoCloseable {
  private final Map<String, Object> kafka;
  private KafkaTopics topics;

  /**
   * @param kafka client properties
   */
  LogStarts(Map<String, Object> kafka) {
    this.kafka = kafka;
  }

  /**
   * The offset of the first record that each of them has, or will have.
   *
   * @throws dev.sluice.config.SluiceException.Retryable where Kafka does not answer
   */
  @Override
  public Map<TopicPartition, Long> apply(Set<TopicPartition> partitions) {
    if (topics == null) {
      topics = new KafkaTopics(kafka);
    }
    return topics.starts(partitions);
  }

  @Override
  public void close() {
    if (topics != null) {
      topics.close();
      topics = null;
    }
  }
}
