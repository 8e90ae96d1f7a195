package dev.sluice.sink.intake;

import dev.sluice.config.Counted;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.CorruptJournalException;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaCodec;
import dev.sluice.connector.api.SchemaLookup;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up a task's row schemas, which it reads from their compacted topic when an unknown one is
 * requested. Threadsafe: known schemas are an immutable value, and reading the topic is under a
 * lock.
 */
public final class SchemaTopic implements SchemaLookup, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SchemaTopic.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private final String topic;
  private final TopicPartition partition;
  private final Duration timeout;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private volatile Known known = new Known(new long[0], new RowSchema[0]);

  /**
   * @param kafka Kafka client properties
   * @param timeout how long to wait for an unknown schema. The publisher writes it before the first
   *     change that refers to it, so it is missing only if the topic was damaged
   */
  public SchemaTopic(Map<String, ?> kafka, String topic, Duration timeout) {
    this.topic = topic;
    this.timeout = timeout;
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    this.consumer = new KafkaConsumer<>(settings, bytes, bytes);
    this.partition = new TopicPartition(topic, 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
  }

  /**
   * @throws CorruptJournalException if the schema does not come within the timeout
   * @throws SluiceException.Retryable if Kafka cannot be read
   */
  @Override
  public RowSchema schema(long fingerprint) {
    RowSchema schema = known.find(fingerprint);
    return schema != null ? schema : readUntil(fingerprint);
  }

  private synchronized RowSchema readUntil(long fingerprint) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      RowSchema schema = known.find(fingerprint);
      if (schema != null) {
        return schema;
      }
      if (System.nanoTime() > deadline) {
        requireReadToItsEnd();
        throw new CorruptJournalException(
            "row schema %016x is not in the topic %s after %d s"
                .formatted(fingerprint, topic, timeout.toSeconds()));
      }
      readOn();
    }
  }

  /**
   * Fails if the topic was not read to its end: an unreachable broker returns no records either,
   * and no error.
   */
  private void requireReadToItsEnd() {
    try {
      long end = consumer.endOffsets(List.of(partition), ANSWER).get(partition);
      long next = consumer.position(partition, ANSWER);
      if (next < end) {
        throw unreadable("read to offset %d of %d".formatted(next, end), null);
      }
    } catch (KafkaException e) {
      throw unreadable(e.getMessage(), e);
    }
  }

  private SluiceException.Retryable unreadable(String why, Throwable cause) {
    return new SluiceException.Retryable(
        "the schema topic %s cannot be read: %s".formatted(topic, why), cause);
  }

  private void readOn() {
    try {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        if (record.value() != null && JournalTopics.isSchema(record.key())) {
          RowSchema schema = SchemaCodec.decode(record.value());
          LOG.debug(
              "row schema of {} with {} read",
              schema.table(),
              Counted.of(schema.columns().size(), "column"));
          known = known.with(schema);
        }
      }
    } catch (KafkaException e) {
      throw unreadable(e.getMessage(), e);
    }
  }

  /** Closes the consumer; known schemas can still be looked up. Idempotent. */
  @Override
  public synchronized void close() {
    consumer.close();
  }

  /** Binary search over plain longs: the lookup for each change must not allocate. */
  private record Known(long[] fingerprints, RowSchema[] schemas) {

    RowSchema find(long fingerprint) {
      int at = Arrays.binarySearch(fingerprints, fingerprint);
      return at >= 0 ? schemas[at] : null;
    }

    Known with(RowSchema schema) {
      int found = Arrays.binarySearch(fingerprints, schema.fingerprint());
      if (found >= 0) {
        return this;
      }
      int at = -found - 1;
      long[] moreFingerprints = Arrays.copyOf(fingerprints, fingerprints.length + 1);
      RowSchema[] moreSchemas = Arrays.copyOf(schemas, schemas.length + 1);
      System.arraycopy(fingerprints, at, moreFingerprints, at + 1, fingerprints.length - at);
      System.arraycopy(schemas, at, moreSchemas, at + 1, schemas.length - at);
      moreFingerprints[at] = schema.fingerprint();
      moreSchemas[at] = schema;
      return new Known(moreFingerprints, moreSchemas);
    }
  }
}
