package dev.sluice.sink.replay;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.intake.JournalConsumer;
import dev.sluice.sink.intake.JournalEntry;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;

/**
 * Opens the journal with a consumer of its own, in addition to the intake's. Immutable, threadsafe.
 */
public final class JournalRereader implements JournalRecords {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Map<String, Object> kafka;
  private final String topic;
  private final Optional<BooleanSupplier> hopeless;

  /** Reads records that the journal has or will have within seconds. */
  public JournalRereader(Map<String, Object> kafka, String topic) {
    this(kafka, topic, Optional.empty());
  }

  /**
   * Reads records that the journal will have, however long that takes.
   *
   * @param hopeless checked while no record comes: true ends the wait
   */
  public JournalRereader(Map<String, Object> kafka, String topic, BooleanSupplier hopeless) {
    this(kafka, topic, Optional.of(hopeless));
  }

  private JournalRereader(
      Map<String, Object> kafka, String topic, Optional<BooleanSupplier> hopeless) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
    this.hopeless = hopeless;
  }

  @Override
  public Reading open(long offset) {
    try {
      return new Consumed(JournalConsumer.at(kafka, topic, offset));
    } catch (KafkaException e) {
      throw unreadable(e.getMessage(), e);
    }
  }

  private SluiceException.Retryable unreadable(String why, Throwable cause) {
    return new SluiceException.Retryable(
        "the journal %s cannot be read again: %s".formatted(topic, why), cause);
  }

  private final class Consumed implements Reading {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private Iterator<ConsumerRecord<byte[], byte[]>> polled =
        List.<ConsumerRecord<byte[], byte[]>>of().iterator();

    private Consumed(KafkaConsumer<byte[], byte[]> consumer) {
      this.consumer = consumer;
    }

    @Override
    public JournalEntry next() {
      long deadline = System.nanoTime() + TIMEOUT.toNanos();
      try {
        while (!polled.hasNext()) {
          if (hopeless.isEmpty() && System.nanoTime() > deadline) {
            throw unreadable("no record came for " + TIMEOUT.toSeconds() + " s", null);
          }
          if (hopeless.isPresent() && hopeless.get().getAsBoolean() && isAtEnd()) {
            throw unreadable("the wait for the next record was ended", null);
          }
          polled = consumer.poll(POLL).iterator();
        }
      } catch (KafkaException e) {
        throw unreadable(e.getMessage(), e);
      }
      ConsumerRecord<byte[], byte[]> record = polled.next();
      return new JournalEntry(record.offset(), record.value());
    }

    private boolean isAtEnd() {
      return consumer.endOffsets(consumer.assignment()).entrySet().stream()
          .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    @Override
    public void close() {
      consumer.close();
    }
  }
}
