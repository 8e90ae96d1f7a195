package dev.sluice.connect.input;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.replay.JournalRecords;
import dev.sluice.sink.replay.JournalRereader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/** Input of the layout journal, whose records the pipeline reads directly. */
public final class JournalInput implements TopicInput {

  /** The publisher writes a schema before the first change that needs it. */
  private static final Duration SCHEMA_TIMEOUT = Duration.ofSeconds(30);

  private final TopicPartition partition;
  private final String topic;
  private final SchemaTopic schemas;
  private final JournalRereader again;
  private List<JournalEntry> taken = new ArrayList<>();
  private long due;

  /**
   * @param startOffset the offset of the first expected record
   */
  public JournalInput(
      Map<String, Object> kafka, TopicPartition partition, String schemaTopic, long startOffset) {
    this.partition = partition;
    this.topic = partition.topic();
    this.due = startOffset;
    this.schemas = new SchemaTopic(kafka, schemaTopic, SCHEMA_TIMEOUT);
    this.again = new JournalRereader(kafka, topic);
  }

  @Override
  public void take(Collection<SinkRecord> records, Instant now) {
    for (SinkRecord record : records) {
      long offset = record.originalKafkaOffset();
      // Read before the task set its own offset.
      if (offset < due) {
        continue;
      }
      if (offset > due) {
        throw new SluiceException.Fatal(
            new Problem(
                "journal " + topic,
                "offset " + offset + " comes where " + due + " is due",
                "every record from the checkpoint on",
                "Records were deleted from outside. Load the tables again, and begin with"
                    + " another task.name and start.position"));
      }
      taken.add(new JournalEntry(offset, bytesOf(record)));
      due = offset + 1;
    }
  }

  @Override
  public List<JournalEntry> next(boolean reading, Instant now) {
    List<JournalEntry> entries = taken;
    taken = new ArrayList<>();
    return entries;
  }

  /** Does nothing: the journal itself is read again. */
  @Override
  public void durable(long nextOffset) {}

  @Override
  public Map<TopicPartition, Long> offsetsAt(long nextOffset) {
    return Map.of(partition, nextOffset);
  }

  @Override
  public SchemaLookup schemas() {
    return schemas;
  }

  @Override
  public JournalRecords again() {
    return again;
  }

  @Override
  public void close() {
    schemas.close();
  }

  private byte[] bytesOf(SinkRecord record) {
    if (record.value() instanceof byte[] bytes) {
      return bytes;
    }
    String found =
        record.value() == null ? "no value" : "a value of " + record.value().getClass().getName();
    throw new SluiceException.Fatal(
        new Problem(
            "journal %s, offset %d".formatted(topic, record.originalKafkaOffset()),
            found,
            "the bytes of a journal record",
            "Set value.converter=org.apache.kafka.connect.converters.ByteArrayConverter, the same"
                + " for key.converter, and no transforms"));
  }
}
