package dev.sluice.connect.input;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.settings.RetainedSpace;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.replay.JournalRecords;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Input of the layout ordered: all topics of a Debezium source in one topic, including the ends of
 * transactions.
 */
public final class OrderedInput implements TopicInput {
  private final TopicPartition partition;
  private final Function<SinkRecord, DebeziumRecord> reader;
  private final TransactionAssembler assembler;
  private final MadeEntries entries;
  private final KnownSchemas schemas = new KnownSchemas();

  private long due;

  /**
   * @param start the target's checkpoint
   * @param space disk space for entries that may have to be read again
   * @param snapshotReplaces true if a snapshot's rows replace the table's rows
   */
  public OrderedInput(
      TopicPartition partition,
      JournalOffset start,
      Function<SinkRecord, DebeziumRecord> reader,
      boolean snapshotReplaces,
      RetainedSpace space) {
    this.partition = partition;
    this.due = start.nextOffset();
    this.reader = reader;
    this.entries = new MadeEntries(space);
    this.assembler = new TransactionAssembler(start, snapshotReplaces, entries::add);
  }

  @Override
  public void take(Collection<SinkRecord> records, Instant now) {
    for (SinkRecord record : records) {
      long offset = record.originalKafkaOffset();
      // Read before the task set its own offset.
      if (offset < due) {
        continue;
      }
      DebeziumRecord read = reader.apply(record);
      schemas.know(read);
      assembler.take(read, offset);
      due = offset + 1;
    }
  }

  @Override
  public List<JournalEntry> next(boolean reading, Instant now) {
    return entries.take();
  }

  @Override
  public Optional<String> full() {
    return entries.full();
  }

  @Override
  public void durable(long nextOffset) {
    entries.forgetBefore(nextOffset);
  }

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
    return entries.again();
  }

  @Override
  public void close() {
    entries.close();
  }
}
