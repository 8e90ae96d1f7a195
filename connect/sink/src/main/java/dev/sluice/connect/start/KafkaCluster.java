package dev.sluice.connect.start;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.join.JoinRequests;
import dev.sluice.connect.settings.KafkaTopics;
import dev.sluice.sink.intake.JournalConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Kafka requests of the layouts with several topics. Each request opens a connection. */
final class KafkaCluster implements JoinRequests {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final Map<String, Object> kafka;

  /**
   * @param kafka Kafka client properties
   */
  KafkaCluster(Map<String, Object> kafka) {
    this.kafka = kafka;
  }

  @Override
  public int partitions(String topic) {
    try (KafkaTopics topics = new KafkaTopics(kafka)) {
      return topics.partitions(topic);
    }
  }

  @Override
  public boolean hasRecords(TopicPartition partition, long from) {
    try (KafkaConsumer<byte[], byte[]> consumer = JournalConsumer.at(kafka, partition, from)) {
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      while (System.nanoTime() < deadline) {
        if (!consumer.poll(POLL).isEmpty()) {
          return true;
        }
        // The log's end offset proves nothing: the ends of Kafka's own transactions are below it.
        long end = consumer.endOffsets(List.of(partition)).get(partition);
        if (consumer.position(partition) >= end) {
          return false;
        }
      }
      throw new SluiceException.Retryable(
          "%s could not be read from offset %d on for %d s"
              .formatted(partition, from, TIMEOUT.toSeconds()),
          null);
    } catch (KafkaException e) {
      throw new SluiceException.Retryable(
          "%s could not be read from offset %d on: %s".formatted(partition, from, e.getMessage()),
          e);
    }
  }
}
