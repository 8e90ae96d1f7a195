package dev.sluice.connect.input;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.JournalRecord.TermStart;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.position.PartitionRows;
import dev.sluice.sink.intake.JournalEntry;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Input of the layout with a topic for each table and none for the transactions. Each partition is
 * applied in its own order, in groups of records that were read together.
 *
 * <p>Group n of a run is transaction n of its only term, at position n and offset n - 1; see {@link
 * PartitionRows}.
 */
public final class RelaxedInput extends DebeziumInput {
  private static final Logger LOG = LoggerFactory.getLogger(RelaxedInput.class);
  private static final int GROUP_CHANGES = 5_000;

  private final ToIntFunction<String> cluster;
  private final boolean snapshotReplaces;
  private final PartitionOffsetLog places;
  private final Map<TopicPartition, PartitionStream> streams = new LinkedHashMap<>();
  private final Map<String, Integer> partitions = new HashMap<>();
  private final TransactionEncoder encoder;

  private long group;
  private int inGroup;

  /**
   * @param start the partitions' offsets
   * @param cluster gives the number of a topic's partitions
   */
  public RelaxedInput(
      Map<TopicPartition, PartitionOffset> start,
      EventReading reading,
      ToIntFunction<String> cluster,
      PartitionOffsetLog places) {
    super(reading, new KnownSchemas());
    this.cluster = cluster;
    this.snapshotReplaces = reading.snapshotReplaces();
    this.places = places;
    start.forEach(
        (partition, place) ->
            streams.put(partition, new PartitionStream(partition, place, this::add)));
    this.encoder = new TransactionEncoder(1, TopicTransactions.FRAME_BYTES, this::put);
    put(new TermStart(1, Position.ZERO).encode());
  }

  @Override
  public void take(Collection<SinkRecord> records, Instant now) {
    boolean moved = false;
    for (SinkRecord record : records) {
      TopicPartition partition =
          new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
      PartitionStream stream = streams.get(partition);
      long offset = record.originalKafkaOffset();
      if (!stream.hasRead(offset)) {
        take(stream, read(record), offset, now);
        moved = true;
        if (inGroup >= GROUP_CHANGES) {
          close(now);
        }
      }
    }
    flush(now);
    if (moved || inGroup > 0) {
      close(now);
    }
    tellRepeated();
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

  private void take(PartitionStream stream, DebeziumRecord read, long offset, Instant now) {
    if (read instanceof RowEvent event) {
      if (!event.schema().hasKey() && event.match() != null) {
        refuseSpread(
            stream.partition(),
            offset,
            "an UPDATE or DELETE of %s, which has no key".formatted(event.schema().table()));
      }
      stream.take(event, offset, now);
    } else if (read instanceof Truncated event) {
      refuseSpread(stream.partition(), offset, "a TRUNCATE of " + event.table());
      stream.take(event, offset);
    } else if (read instanceof SnapshotRow row) {
      stream.flush();
      takeSnapshot(stream.partition(), row, offset);
    }
  }

  private void takeSnapshot(TopicPartition partition, SnapshotRow row, long offset) {
    RowSchema schema = row.schema();
    if (snapshotReplaces && row.first()) {
      refuseSpread(partition, offset, "a snapshot whose rows are to replace those of its table");
      add(new Truncate(List.of(new Emptied(schema.table(), null))));
    }
    add(new RowChange(schema, null, row.row()));
  }

  /**
   * Rejects a topic with several partitions: there is no order between partitions, and some events
   * need one.
   */
  private void refuseSpread(TopicPartition partition, long offset, String found) {
    int count = partitionsOf(partition.topic());
    if (count > 1) {
      throw new SluiceException.Fatal(
          new Problem(
              "%s, offset %d".formatted(partition, offset),
              found + ", in a topic of %d partitions".formatted(count),
              "a topic of one partition, since its place among the rows of other partitions is not"
                  + " known",
              "Give the table's topic one partition, or use"
                  + " topic.layout=tables-with-transactions"));
    }
  }

  private int partitionsOf(String topic) {
    return partitions.computeIfAbsent(topic, cluster::applyAsInt);
  }

  private void flush(Instant now) {
    for (PartitionStream stream : streams.values()) {
      if (stream.isHolding()) {
        stream.flushIfDue(partitionsOf(stream.partition().topic()) > 1, now);
      }
    }
  }

  private void add(ChangeEvent change) {
    if (inGroup == 0) {
      encoder.begin();
    }
    encoder.add(change);
    inGroup++;
  }

  private void close(Instant now) {
    if (inGroup == 0) {
      encoder.begin();
    }
    long number = group + 1;
    Map<TopicPartition, PartitionOffset> moved = new HashMap<>();
    streams.values().forEach(stream -> moved.put(stream.partition(), stream.place()));
    places.note(number, moved);
    encoder.end(new Position(number), now.toEpochMilli() * 1_000);
    group = number;
    inGroup = 0;
  }

  private void put(byte[] value) {
    entries().add(new JournalEntry(group, value));
  }

  private void tellRepeated() {
    for (PartitionStream stream : streams.values()) {
      long repeated = stream.takeRepeated();
      if (repeated > 0) {
        LOG.info(
            "{}: {} came again and {} skipped",
            stream.partition(),
            Counted.of(repeated, "event"),
            repeated == 1 ? "is" : "are");
      }
    }
  }
}
