package dev.sluice.connector.journal;

import dev.sluice.connector.api.ChangeCursor;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaCodec;
import dev.sluice.connector.api.source.AppliedJournal;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a journal as the sink does: whole transactions in order, repeats and torn ones dropped. */
public final class JournalReader implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final KafkaConsumer<byte[], byte[]> records;
  private final KafkaConsumer<byte[], byte[]> schemaRecords;
  private final Map<Long, RowSchema> schemas = new HashMap<>();
  private final Map<Position, Instant> ends = new HashMap<>();
  private final ByteArrayOutputStream pieces = new ByteArrayOutputStream();
  private List<ChangeEvent> open;
  private Position applied = Position.ZERO;
  private long term;
  private long transaction;
  private boolean broken;
  private int repeated;

  public JournalReader(Map<String, Object> client, JournalTopics topics) {
    records = consumer(client, topics.journal());
    schemaRecords = consumer(client, topics.schemas());
  }

  /** Goes on as a sink that has something of the journal. */
  public JournalReader(Map<String, Object> client, JournalTopics topics, AppliedJournal already) {
    this(client, topics);
    applied = already.position();
    term = already.term();
    transaction = already.transaction();
    records.seek(new TopicPartition(topics.journal(), 0), already.nextOffset());
  }

  /** A whole transaction. */
  public record Transaction(
      Position position, long id, Instant committed, List<ChangeEvent> changes, String bookmark) {}

  /** Waits for so many transactions with changes. */
  public List<Transaction> read(int count) {
    List<Transaction> read = new ArrayList<>();
    Instant deadline = Instant.now().plus(PATIENCE);
    while (read.size() < count && Instant.now().isBefore(deadline)) {
      read.addAll(poll(Duration.ofMillis(50)));
    }
    return read;
  }

  /** What comes within a time. */
  public List<Transaction> poll(Duration time) {
    List<Transaction> read = new ArrayList<>();
    for (var record : records.poll(time)) {
      add(JournalRecord.parse(record.value()), read);
    }
    return read;
  }

  /** Positions of all ends met, progress included. */
  public Map<Position, Instant> ends() {
    return ends;
  }

  /** Of the next record. */
  public long offset() {
    return records.position(records.assignment().iterator().next());
  }

  public int repeated() {
    return repeated;
  }

  private void add(JournalRecord record, List<Transaction> read) {
    if (record.term() < term) {
      return;
    }
    if (record instanceof JournalRecord.TermStart start) {
      term = start.term();
      transaction = 0;
      broken = false;
      open = null;
      return;
    }
    if (record.term() > term) {
      // Without its beginning.
      term = record.term();
      broken = true;
    }
    if (broken) {
      return;
    }
    if (record instanceof JournalRecord.Frame frame) {
      if (!follows(frame.transaction(), frame.firstOrdinal())) {
        return;
      }
      ChangeCursor cursor = frame.changes(this::schema);
      while (cursor.next()) {
        open.add(cursor.change());
      }
      if (frame.end() != null) {
        end(frame, read);
      }
    } else if (record instanceof JournalRecord.Piece piece) {
      if (!follows(piece.transaction(), piece.ordinal())) {
        return;
      }
      pieces.write(piece.bytes(), piece.contentAt(), piece.contentLength());
      if (piece.isLast()) {
        open.add(ChangeCursor.ofPieces(pieces.toByteArray(), this::schema));
        pieces.reset();
      }
    }
  }

  private boolean follows(long number, long ordinal) {
    if (open == null && number == transaction + 1) {
      open = new ArrayList<>();
      transaction = number;
      pieces.reset();
    }
    if (open == null || number != transaction || ordinal != open.size() + 1) {
      broken = true;
      return false;
    }
    return true;
  }

  private void end(JournalRecord.Frame frame, List<Transaction> read) {
    if (frame.end().changes() != open.size()) {
      throw new AssertionError("an end of " + frame.end() + " after " + open.size() + " changes");
    }
    ends.put(frame.end().position(), frame.end().commitTime());
    if (!frame.end().position().isAfter(applied)) {
      repeated++;
    } else if (!open.isEmpty()) {
      read.add(
          new Transaction(
              frame.end().position(),
              frame.end().transactionId(),
              frame.end().commitTime(),
              open,
              frame.end().bookmark()));
    }
    applied = applied.max(frame.end().position());
    open = null;
  }

  private RowSchema schema(long fingerprint) {
    Instant deadline = Instant.now().plus(PATIENCE);
    while (!schemas.containsKey(fingerprint) && Instant.now().isBefore(deadline)) {
      for (var record : schemaRecords.poll(Duration.ofMillis(100))) {
        if (JournalTopics.isSchema(record.key())) {
          RowSchema schema = SchemaCodec.decode(record.value());
          schemas.put(schema.fingerprint(), schema);
        }
      }
    }
    return schemas.get(fingerprint);
  }

  private static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> client, String topic) {
    Map<String, Object> settings = new HashMap<>(client);
    settings.put("enable.auto.commit", false);
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    TopicPartition partition = new TopicPartition(topic, 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    return consumer;
  }

  @Override
  public void close() {
    records.close();
    schemaRecords.close();
  }
}
