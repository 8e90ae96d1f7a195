package dev.sluice.sink.connect;

import dev.sluice.connector.api.CorruptJournalException;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.connect.envelope.DebeziumRecord;
import dev.sluice.sink.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.sink.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.sink.connect.envelope.EnvelopeReader;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.replay.JournalRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.connect.sink.SinkRecord;

/** The layout ordered: all topics of a Debezium source in one, with the transactions' ends. */
final class OrderedInput implements TopicInput {
  private final EnvelopeReader reader;
  private final TransactionAssembler assembler;
  private final RetainedEntries retained;
  private final Map<Long, RowSchema> schemas = new ConcurrentHashMap<>();

  private List<JournalEntry> made = new ArrayList<>();
  private long due;

  /**
   * @param start what the target has
   * @param directory of this task alone
   * @param snapshotReplaces whether a snapshot's rows replace those that its table has
   */
  OrderedInput(JournalPlace start, String placeholder, boolean snapshotReplaces, Path directory) {
    this.due = start.nextOffset();
    this.reader = new EnvelopeReader(placeholder);
    this.assembler = new TransactionAssembler(start, snapshotReplaces, entry -> made.add(entry));
    this.retained = new RetainedEntries(directory);
  }

  @Override
  public List<JournalEntry> entries(Collection<SinkRecord> records) {
    made = new ArrayList<>();
    for (SinkRecord record : records) {
      long offset = record.originalKafkaOffset();
      // Read before the task asked for its own offset.
      if (offset < due) {
        continue;
      }
      DebeziumRecord read = reader.read(record);
      if (read instanceof RowEvent event) {
        know(event.schema());
      } else if (read instanceof SnapshotRow row) {
        know(row.schema());
      }
      assembler.take(read, offset);
      due = offset + 1;
    }
    retained.add(made);
    return made;
  }

  @Override
  public void durable(long offset) {
    retained.forgetBefore(offset);
  }

  @Override
  public SchemaLookup schemas() {
    return this::schema;
  }

  @Override
  public JournalRecords again() {
    return retained;
  }

  @Override
  public void close() {
    retained.close();
  }

  private void know(RowSchema schema) {
    schemas.putIfAbsent(schema.fingerprint(), schema);
  }

  private RowSchema schema(long fingerprint) {
    RowSchema schema = schemas.get(fingerprint);
    if (schema == null) {
      throw new CorruptJournalException(
          "BUG: row schema %016x is not known".formatted(fingerprint));
    }
    return schema;
  }
}
