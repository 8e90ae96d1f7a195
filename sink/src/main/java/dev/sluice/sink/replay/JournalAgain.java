package dev.sluice.sink.replay;

import dev.sluice.config.SluiceException;
import dev.sluice.sink.intake.JournalConsumer;
import dev.sluice.sink.intake.JournalEntry;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;

/** Opens the journal a second time, beside the intake's consumer. Immutable, threadsafe. */
public final class JournalAgain implements JournalRecords {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, Object> kafka;
  private final String topic;

  public JournalAgain(Map<String, Object> kafka, String topic) {
    this.kafka = Map.copyOf(kafka);
    this.topic = topic;
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
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      try {
        while (!polled.hasNext()) {
          if (System.nanoTime() > deadline) {
            throw unreadable("no record came for " + PATIENCE.toSeconds() + " s", null);
          }
          polled = consumer.poll(POLL).iterator();
        }
      } catch (KafkaException e) {
        throw unreadable(e.getMessage(), e);
      }
      ConsumerRecord<byte[], byte[]> record = polled.next();
      return new JournalEntry(record.offset(), record.value());
    }

    @Override
    public void close() {
      consumer.close();
    }
  }
}
