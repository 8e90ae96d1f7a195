package dev.sluice.connect.input;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.connect.envelope.DebeziumRecord.End;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.join.CompletedTransaction;
import dev.sluice.connect.join.TransactionJoin;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Input of the layout with a topic for each table and one for the transactions: joins them into one
 * stream.
 *
 * <p>An entry's offset is the number of its transaction, counted from the task's first one; the
 * partitions' offsets are stored separately.
 */
public final class JoinedInput extends DebeziumInput {
  private static final long BYTES_AT_ONCE = 1024 * 1024;

  private final TransactionJoin join;
  private final PartitionOffsetLog places;
  private final TopicTransactions assembler;

  private long number;

  /** The complete transaction that is being returned; null if there is none. */
  private CompletedTransaction open;

  /**
   * @param start the target's checkpoint
   * @param places the partitions' offsets at that point
   * @param schemas the schemas that the join's files refer to
   */
  public JoinedInput(
      JournalOffset start,
      EventReading reading,
      TransactionJoin join,
      PartitionOffsetLog places,
      KnownSchemas schemas) {
    super(reading, schemas);
    this.join = join;
    this.places = places;
    this.number = start.nextOffset();
    this.assembler = new TopicTransactions(start, reading.snapshotReplaces(), entries()::add);
  }

  @Override
  public void take(Collection<SinkRecord> records, Instant now) {
    for (SinkRecord record : records) {
      TopicPartition partition =
          new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
      long offset = record.originalKafkaOffset();
      if (!join.hasRead(partition, offset)) {
        join.take(read(record), partition, offset, now);
      }
    }
  }

  @Override
  public List<JournalEntry> next(boolean reading, Instant now) {
    while (entries().bytes() < BYTES_AT_ONCE && (open != null || begin(reading, now))) {
      DebeziumRecord event = open.next();
      if (event == null) {
        end();
      } else {
        assembler.take(event, number);
      }
    }
    return super.next(reading, now);
  }

  @Override
  public Set<TopicPartition> unwanted() {
    return join.unwanted();
  }

  @Override
  public void durable(long nextOffset) {
    super.durable(nextOffset);
    places.durable(nextOffset);
  }

  @Override
  public Map<TopicPartition, Long> offsetsAt(long nextOffset) {
    return places.offsetsAt(nextOffset);
  }

  @Override
  public void close() {
    if (open != null) {
      open.close();
    }
    join.close();
    super.close();
  }

  private boolean begin(boolean reading, Instant now) {
    giveSnapshot();
    Optional<CompletedTransaction> next = join.next(reading, now);
    if (next.isEmpty()) {
      return false;
    }
    open = next.get();
    assembler.take(new Begin(open.xid()), number);
    return true;
  }

  private void giveSnapshot() {
    Optional<SnapshotRow> row = join.nextSnapshotRow();
    while (row.isPresent()) {
      assembler.take(row.get(), number);
      if (!assembler.isInSnapshot()) {
        note();
      }
      row = join.nextSnapshotRow();
    }
    if (assembler.isInSnapshot()) {
      assembler.closeSnapshot(number);
      note();
    }
  }

  private void end() {
    long events = open.counts().values().stream().mapToLong(Long::longValue).sum();
    // Groups of a late snapshot may have used this transaction's position.
    Position position = open.position().max(assembler.last().next());
    assembler.take(
        new End(open.xid(), position, events, open.counts(), open.commitMicros()), number);
    open.close();
    open = null;
    note();
  }

  /** Records the partitions' offsets, before the pipeline gets the entry that ends here. */
  private void note() {
    number++;
    places.note(number, join.movedPlaces());
  }
}
