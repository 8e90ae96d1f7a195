package dev.sluice.sink.intake;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Creates Kafka consumers of one partition, with large polls and without a consumer group.
 * Stateless.
 */
public final class JournalConsumer {
  private static final int RECORDS_PER_POLL = 2_000;
  private static final int FETCH_BYTES = 8 * 1024 * 1024;

  private JournalConsumer() {}

  /** Creates a consumer of the journal topic, positioned at the offset. */
  public static KafkaConsumer<byte[], byte[]> at(
      Map<String, ?> kafka, String topic, long startOffset) {
    return at(kafka, new TopicPartition(topic, 0), startOffset);
  }

  /** Creates a consumer of the partition, positioned at the offset. */
  public static KafkaConsumer<byte[], byte[]> at(
      Map<String, ?> kafka, TopicPartition partition, long startOffset) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, RECORDS_PER_POLL);
    settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
    settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes);
    consumer.assign(List.of(partition));
    consumer.seek(partition, startOffset);
    return consumer;
  }
}
