package dev.sluice.connector.journal;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.JournalRecord;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Sends the records of one term, and counts those that Kafka has acknowledged. Sends are pipelined.
 * After a failed one nothing more is sent, since the idempotent producer would continue and leave a
 * gap. Owned by the capture's thread; the answers come on the producer's.
 */
final class TermSends implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TermSends.class);

  private static final int PARTITION = 0;

  private final Producer<byte[], byte[]> producer;
  private final String journal;
  private final boolean alone;
  private final long begunAt;
  private final CompletableFuture<SluiceException> failure = new CompletableFuture<>();
  private long sent;
  private long bytes;

  private volatile long acknowledged;
  private volatile boolean closing;

  /**
   * Waits until the term's first record is in the journal.
   *
   * @param producer is closed by this
   * @param alone whether a record of anybody else after the first one is a failure
   * @throws SluiceException if Kafka refuses the first record; the producer is closed then
   */
  TermSends(
      Producer<byte[], byte[]> producer,
      String journal,
      JournalRecord.TermStart first,
      boolean alone) {
    this.producer = producer;
    this.journal = journal;
    this.alone = alone;
    try {
      this.begunAt = awaitAcknowledged(journal, null, first.encode()).offset();
    } catch (RuntimeException e) {
      producer.close(Duration.ZERO);
      throw e;
    }
  }

  /** The journal's offset of the term's first record. */
  long begunAt() {
    return begunAt;
  }

  /** How many records were sent after it. */
  long sent() {
    return sent;
  }

  /** The size of those. */
  long bytes() {
    return bytes;
  }

  /** How many of them are acknowledged, the first ones. */
  long acknowledged() {
    return acknowledged;
  }

  /** Waits up to five seconds for pending sends, then closes the producer. */
  @Override
  public void close() {
    closing = true;
    producer.close(Duration.ofSeconds(5));
  }

  /**
   * Sends a record and waits until it is in the topic.
   *
   * @param key null if it has none
   * @throws SluiceException if Kafka refuses it
   */
  RecordMetadata awaitAcknowledged(String topic, byte[] key, byte[] value) {
    try {
      return producer.send(new ProducerRecord<>(topic, PARTITION, key, value)).get();
    } catch (ExecutionException e) {
      throw failed(topic, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(topic, e);
    } catch (RuntimeException e) {
      throw failed(topic, e);
    }
  }

  /**
   * Sends a record of the term.
   *
   * @throws SluiceException if this or an earlier send failed
   */
  void send(byte[] record) {
    requireWorking();
    sent++;
    bytes += record.length;
    try {
      producer.send(new ProducerRecord<>(journal, PARTITION, null, record), this::answered);
    } catch (RuntimeException e) {
      throw failed(journal, e);
    }
  }

  /** Runs on the producer's thread; one partition's answers come in the order of its sends. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  private void answered(RecordMetadata metadata, Exception error) {
    if (error != null) {
      failed(journal, error);
    } else if (alone && metadata.offset() != begunAt + 1 + acknowledged) {
      failed(journal, notAlone(metadata.offset()));
    } else {
      acknowledged++;
    }
  }

  private SluiceException.Retryable notAlone(long offset) {
    return new SluiceException.Retryable(
        "somebody else has written to %s between the offsets %d and %d: another capture of the task has begun, or an earlier one had still to send"
            .formatted(journal, begunAt + acknowledged, offset),
        null);
  }

  private SluiceException failed(String topic, Throwable error) {
    SluiceException classified = KafkaFailures.classify("writing to topic " + topic, error);
    if (!closing && failure.complete(classified)) {
      // An unreachable broker is expected; the retry logs it.
      LOG.atLevel(classified instanceof SluiceException.Retryable ? Level.WARN : Level.ERROR)
          .log("writing to the journal ends for this term: {}", classified.getMessage());
    }
    return classified;
  }

  /**
   * Fails once a send has failed.
   *
   * @throws SluiceException what came first
   */
  void requireWorking() {
    SluiceException failed = failure.getNow(null);
    if (failed != null) {
      throw failed;
    }
  }
}
