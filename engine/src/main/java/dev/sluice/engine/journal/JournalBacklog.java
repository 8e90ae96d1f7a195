package dev.sluice.engine.journal;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalConsumer;
import dev.sluice.sink.intake.SchemaTopic;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Counts the changes in the journal after a checkpoint, captured but not applied. Used by one
 * thread.
 *
 * <p>Repeated transactions count once: their positions do not rise.
 */
public final class JournalBacklog {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private final Map<TableId, Long> changes = new TreeMap<>();
  private final Map<TableId, Long> open = new HashMap<>();
  private Position upTo;

  private JournalBacklog(Position after) {
    this.upTo = after;
  }

  /**
   * Reads the journal to its end.
   *
   * @param after the position of the checkpoint
   * @param fromOffset the offset of the checkpoint
   * @throws SluiceException.Retryable if Kafka cannot be read
   */
  public static JournalBacklog read(
      Map<String, Object> kafka, JournalTopics topics, Position after, long fromOffset) {
    JournalBacklog tail = new JournalBacklog(after);
    TopicPartition journal = new TopicPartition(topics.journal(), 0);
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    try (KafkaConsumer<byte[], byte[]> consumer =
            JournalConsumer.at(kafka, topics.journal(), fromOffset);
        SchemaTopic schemas = new SchemaTopic(kafka, topics.schemas(), TIMEOUT)) {
      long end = consumer.endOffsets(List.of(journal)).get(journal);
      while (consumer.position(journal) < end) {
        if (System.nanoTime() > deadline) {
          throw new SluiceException.Retryable(
              "the end of %s was not reached from offset %d on"
                  .formatted(topics.journal(), fromOffset),
              null);
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          tail.count(JournalRecord.parse(record.value()), schemas);
        }
      }
      return tail;
    } catch (KafkaException e) {
      throw new SluiceException.Retryable(
          "the journal %s cannot be read: %s".formatted(topics.journal(), e.getMessage()), e);
    }
  }

  /** Number of changes by source table, of complete transactions. */
  public Map<TableId, Long> changes() {
    return changes;
  }

  /** The position of the last complete transaction. */
  public Position upTo() {
    return upTo;
  }

  private void count(JournalRecord record, SchemaLookup schemas) {
    if (record instanceof JournalRecord.Piece piece && piece.piece() == 0) {
      open.merge(new TableId("", "(a large value)"), 1L, Long::sum);
    }
    if (!(record instanceof JournalRecord.Frame frame)) {
      if (record instanceof JournalRecord.TermStart) {
        // The transaction that was interrupted there is repeated.
        open.clear();
      }
      return;
    }
    ChangeCursor cursor = frame.changes(schemas);
    while (cursor.next()) {
      ChangeEvent change = cursor.change();
      if (change instanceof ChangeEvent.RowChange row) {
        open.merge(row.schema().table(), 1L, Long::sum);
      } else if (change instanceof ChangeEvent.Truncate truncate) {
        truncate.tables().forEach(emptied -> open.merge(emptied.table(), 1L, Long::sum));
      }
    }
    if (frame.end() != null) {
      if (frame.end().position().isAfter(upTo)) {
        upTo = frame.end().position();
        open.forEach((table, count) -> changes.merge(table, count, Long::sum));
      }
      open.clear();
    }
  }
}
