package dev.sluice.connect.start;

import dev.sluice.connect.settings.KafkaTopics;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks Kafka about the topics that are read, over one connection that is opened when needed. Owned
 * by the task's thread.
 */
final class ReadTopics implements AutoCloseable {
  private final Map<String, Object> kafka;
  private KafkaTopics topics;

  /**
   * @param kafka Kafka client properties
   */
  ReadTopics(Map<String, Object> kafka) {
    this.kafka = kafka;
  }

  /**
   * The offset of the first record that each partition has or will have.
   *
   * @throws dev.sluice.config.document.SluiceException.Retryable if Kafka does not respond
   */
  Map<TopicPartition, Long> starts(Set<TopicPartition> partitions) {
    return connected().starts(partitions);
  }

  /** The ids of the topics, once Kafka has responded; without topics that do not exist. */
  CompletableFuture<Map<String, String>> ids(Set<String> names) {
    return connected().ids(names);
  }

  @Override
  public void close() {
    if (topics != null) {
      topics.close();
      topics = null;
    }
  }

  private KafkaTopics connected() {
    if (topics == null) {
      topics = new KafkaTopics(kafka);
    }
    return topics;
  }
}
