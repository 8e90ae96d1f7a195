package dev.sluice.connect.input;

import dev.sluice.sink.intake.JournalOffset;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Input of the layout ordered: all topics of a Debezium source in one topic, including the ends of
 * transactions.
 */
public final class OrderedInput extends DebeziumInput {
  private final TopicPartition partition;
  private final TopicTransactions assembler;

  private long due;

  /**
   * @param start the target's checkpoint
   */
  public OrderedInput(TopicPartition partition, JournalOffset start, EventReading reading) {
    super(reading, new KnownSchemas());
    this.partition = partition;
    this.due = start.nextOffset();
    this.assembler = new TopicTransactions(start, reading.snapshotReplaces(), entries()::add);
  }

  @Override
  public void take(Collection<SinkRecord> records, Instant now) {
    for (SinkRecord record : records) {
      long offset = record.originalKafkaOffset();
      // Read before the task set its own offset.
      if (offset < due) {
        continue;
      }
      assembler.take(read(record), offset);
      due = offset + 1;
    }
  }

  @Override
  public Map<TopicPartition, Long> offsetsAt(long nextOffset) {
    return Map.of(partition, nextOffset);
  }
}
