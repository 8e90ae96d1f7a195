package dev.sluice.connector.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.connector.api.JournalTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What a source has to remember beside the journal: texts by their names, in the schema topic,
 * which is compacted and lives as long as the journal. Used by one thread.
 */
public final class SourceNotes {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final Map<String, Object> client;
  private final TopicPartition schemas;

  /**
   * @param client Kafka's connection properties
   */
  public SourceNotes(Map<String, Object> client, JournalTopics topics) {
    this.client = Map.copyOf(client);
    this.schemas = new TopicPartition(topics.schemas(), 0);
  }

  /** The notes whose names begin with a text, by the rest of their names. */
  public Map<String, String> read(String beginning) {
    String prefix = JournalTopics.NOTE_KEY + beginning;
    Map<String, Object> settings = new HashMap<>(client);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    Map<String, String> found = new TreeMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
      consumer.assign(List.of(schemas));
      consumer.seekToBeginning(List.of(schemas));
      long end = consumer.endOffsets(List.of(schemas), TIMEOUT).get(schemas);
      while (consumer.position(schemas, TIMEOUT) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          String key = record.key() == null ? "" : new String(record.key(), UTF_8);
          if (key.startsWith(prefix)) {
            String name = key.substring(prefix.length());
            if (record.value() == null) {
              found.remove(name);
            } else {
              found.put(name, new String(record.value(), UTF_8));
            }
          }
        }
      }
      return found;
    } catch (RuntimeException e) {
      throw KafkaFailures.classify("reading the notes in topic " + schemas.topic(), e);
    }
  }

  /**
   * Writes notes, and waits until Kafka has all of them.
   *
   * @param beginning of their names
   * @param notes by the rest of their names
   */
  public void write(String beginning, Map<String, String> notes) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            ProducerSettings.of(client), new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<RecordMetadata>> answers = new ArrayList<>();
      notes.forEach(
          (name, text) ->
              answers.add(
                  producer.send(
                      new ProducerRecord<>(
                          schemas.topic(),
                          schemas.partition(),
                          (JournalTopics.NOTE_KEY + beginning + name).getBytes(UTF_8),
                          text.getBytes(UTF_8)))));
      answers.forEach(
          answer -> KafkaFailures.await("writing notes to topic " + schemas.topic(), answer));
    }
  }
}
