package dev.sluice.connector.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.connector.api.JournalTopics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/*
 * Each task's mark has its own key, so compaction keeps all marks and their order. The first mark names the owner, also if two tasks wrote at the same time.
 */
/**
 * Reads and writes the owner of a journal's topics: the first record of the schema topic. Used by
 * one thread.
 */
final class TopicOwner {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final Map<String, Object> client;
  private final TopicPartition schemas;

  TopicOwner(Map<String, Object> client, JournalTopics topics) {
    this.client = client;
    this.schemas = new TopicPartition(topics.schemas(), 0);
  }

  /**
   * The first record of the schema topic.
   *
   * @param id the owner's id; empty if the record is not an owner's mark
   * @param text describes the owner, for messages
   */
  record Mark(Optional<String> id, String text) {}

  /** The mark; empty if the existing schema topic has no records. */
  Optional<Mark> read() {
    Map<String, Object> settings = new HashMap<>(client);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
      consumer.assign(List.of(schemas));
      consumer.seekToBeginning(List.of(schemas));
      long end = consumer.endOffsets(List.of(schemas), TIMEOUT).get(schemas);
      while (consumer.position(schemas, TIMEOUT) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          return Optional.of(markOf(record));
        }
      }
      return Optional.empty();
    } catch (RuntimeException e) {
      throw KafkaFailures.classify("reading the owner of topic " + schemas.topic(), e);
    }
  }

  /** Appends a mark. */
  void write(String id, String text) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            ProducerSettings.of(client), new ByteArraySerializer(), new ByteArraySerializer())) {
      KafkaFailures.await(
          "marking topic " + schemas.topic(),
          producer.send(
              new ProducerRecord<>(
                  schemas.topic(),
                  schemas.partition(),
                  (JournalTopics.OWNER_KEY + id).getBytes(UTF_8),
                  text.getBytes(UTF_8))));
    }
  }

  private static Mark markOf(ConsumerRecord<byte[], byte[]> record) {
    if (!JournalTopics.isOwner(record.key()) || record.value() == null) {
      return new Mark(Optional.empty(), "it has records of another program");
    }
    return new Mark(
        Optional.of(new String(record.key(), UTF_8).substring(JournalTopics.OWNER_KEY.length())),
        new String(record.value(), UTF_8));
  }
}
