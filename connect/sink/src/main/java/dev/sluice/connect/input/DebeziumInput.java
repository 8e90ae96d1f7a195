package dev.sluice.connect.input;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.replay.JournalRecords;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * What the inputs of Debezium's topics share: they read records, know the row schemas, and retain
 * the entries that were made of the records. Owned as {@link TopicInput} says.
 */
abstract class DebeziumInput implements TopicInput {
  private final Function<SinkRecord, DebeziumRecord> reader;
  private final KnownSchemas schemas;
  private final MadeEntries entries;

  /**
   * @param schemas gets the schemas of all records that are read
   */
  DebeziumInput(EventReading reading, KnownSchemas schemas) {
    this.reader = reading.reader();
    this.schemas = schemas;
    this.entries = new MadeEntries(reading.space());
  }

  final DebeziumRecord read(SinkRecord record) {
    DebeziumRecord read = reader.apply(record);
    schemas.know(read);
    return read;
  }

  final MadeEntries entries() {
    return entries;
  }

  @Override
  public List<JournalEntry> next(boolean reading, Instant now) {
    return entries.take();
  }

  @Override
  public final Optional<String> full() {
    return entries.full();
  }

  @Override
  public void durable(long nextOffset) {
    entries.forgetBefore(nextOffset);
  }

  @Override
  public final SchemaLookup schemas() {
    return schemas;
  }

  @Override
  public final JournalRecords again() {
    return entries.again();
  }

  @Override
  public void close() {
    entries.close();
  }
}
