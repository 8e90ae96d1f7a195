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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;

/**
 * Reads the journal again between two fences and counts the changes there. The result does not
 * depend on when the sink's progress was read. Used by one thread.
 */
public final class FenceScan {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private final String first;
  private final String second;
  private final SchemaLookup schemas;
  private final Map<TableId, Long> changes = new TreeMap<>();
  private boolean begun;
  private boolean ended;

  FenceScan(Position first, Position second, SchemaLookup schemas) {
    this.first = first.toString();
    this.second = second.toString();
    this.schemas = schemas;
  }

  /**
   * Counts the changes between two fences that are in the journal.
   *
   * @param fromOffset at or before the record with the first fence
   * @param first the fence's position in the source's log
   * @param second the later fence's position
   * @return number of changes by source table; empty if there were none
   * @throws SluiceException.Retryable if Kafka cannot be read, or the fences are not found
   */
  public static Map<TableId, Long> changesBetween(
      Map<String, Object> kafka,
      JournalTopics topics,
      long fromOffset,
      Position first,
      Position second) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    try (KafkaConsumer<byte[], byte[]> consumer =
            JournalConsumer.at(kafka, topics.journal(), fromOffset);
        SchemaTopic schemas = new SchemaTopic(kafka, topics.schemas(), TIMEOUT)) {
      FenceScan scan = new FenceScan(first, second, schemas);
      while (!scan.isEnded()) {
        if (System.nanoTime() > deadline) {
          throw new SluiceException.Retryable(
              "the fences were not found in %s from offset %d on"
                  .formatted(topics.journal(), fromOffset),
              null);
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          scan.read(record.value());
        }
      }
      return scan.changes();
    } catch (KafkaException e) {
      throw new SluiceException.Retryable(
          "the journal %s cannot be read: %s".formatted(topics.journal(), e.getMessage()), e);
    }
  }

  /** Counts the changes of the journal's next record. */
  void read(byte[] value) {
    JournalRecord record = JournalRecord.parse(value);
    if (record instanceof JournalRecord.Frame frame) {
      ChangeCursor cursor = frame.changes(schemas);
      while (!ended && cursor.next()) {
        read(cursor.change());
      }
    } else if (record instanceof JournalRecord.Piece && begun && !ended) {
      count(new TableId("", "(a large value)"));
    }
  }

  /** Whether the second fence was read. */
  boolean isEnded() {
    return ended;
  }

  Map<TableId, Long> changes() {
    return changes;
  }

  private void read(ChangeEvent change) {
    if (change instanceof ChangeEvent.Message message) {
      String content = new String(message.content(), StandardCharsets.UTF_8);
      if (content.equals(first)) {
        // A restarted capture repeats what the slot had not confirmed.
        begun = true;
        changes.clear();
      }
      ended |= begun && content.equals(second);
    } else if (begun && change instanceof ChangeEvent.RowChange row) {
      count(row.schema().table());
    } else if (begun && change instanceof ChangeEvent.Definition definition) {
      definition.changes().changes().forEach(altered -> count(altered.table()));
    } else if (begun && change instanceof ChangeEvent.Truncate truncate) {
      truncate.tables().forEach(emptied -> count(emptied.table()));
    }
  }

  private void count(TableId table) {
    changes.merge(table, 1L, Long::sum);
  }
}
