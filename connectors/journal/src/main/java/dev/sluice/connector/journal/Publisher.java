package dev.sluice.connector.journal;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaCodec;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.connector.api.source.CaptureRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one term to the journal. Sends are pipelined; the positions of acknowledged transactions
 * are returned in order. After a failed send nothing more is written, since the idempotent producer
 * would continue and leave a gap. Owned by the capture's thread; any thread may call {@link
 * #progress}.
 */
public final class Publisher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

  /** A frame of this size compresses well and is far below the brokers' limit. */
  private static final int FRAME_BYTES = 32 * 1024;

  private final JournalTopics topics;
  private final DataSize maxValueSize;
  private final TermSends sends;
  private final TransactionEncoder encoder;
  private final Set<Long> journaledSchemas = new HashSet<>();
  private final ArrayDeque<PendingEnd> pending = new ArrayDeque<>();

  private volatile CaptureProgress progress;
  private long changes;
  private long transactions;
  private long changesInTransaction;
  private long messagesInTransaction;
  private RowSchema lastSchema;

  /**
   * Begins the term of a capture and waits until its first record is in the journal.
   *
   * @throws SluiceException if Kafka refuses the term's first record
   */
  public Publisher(CaptureRequest request) {
    this(
        producer(request),
        request.topics(),
        request.term(),
        request.start(),
        request.maxValueSize());
  }

  /**
   * The same for a source whose log must not be given up for records that do not count. If anybody
   * else writes to the journal after the term's first record, a newer term may have begun: nothing
   * is reported as acknowledged from there on, and the publisher fails.
   *
   * @throws SluiceException if Kafka refuses the term's first record
   */
  public static Publisher alone(CaptureRequest request) {
    return new Publisher(
        producer(request),
        request.topics(),
        request.term(),
        request.start(),
        request.maxValueSize(),
        true);
  }

  private static Producer<byte[], byte[]> producer(CaptureRequest request) {
    return new KafkaProducer<>(
        ProducerSettings.of(request.producerProperties()),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /**
   * The same with a producer, which the publisher closes.
   *
   * @param start the slot's position at which the term starts
   * @param maxValueSize the largest change that is accepted
   */
  public Publisher(
      Producer<byte[], byte[]> producer,
      JournalTopics topics,
      long term,
      Position start,
      DataSize maxValueSize) {
    this(producer, topics, term, start, maxValueSize, false);
  }

  Publisher(
      Producer<byte[], byte[]> producer,
      JournalTopics topics,
      long term,
      Position start,
      DataSize maxValueSize,
      boolean alone) {
    this.topics = topics;
    this.maxValueSize = maxValueSize;
    this.progress = new CaptureProgress(start, Optional.empty(), 0, 0, 0);
    this.sends =
        new TermSends(producer, topics.journal(), new JournalRecord.TermStart(term, start), alone);
    this.encoder = new TransactionEncoder(term, FRAME_BYTES, sends::send);
    LOG.info("term {} begins in {} at the slot's position {}", term, topics.journal(), start);
  }

  /**
   * The journal's offset of the term's first record. Behind it no record of an older term counts.
   */
  public long begunAt() {
    return sends.begunAt();
  }

  /** Adds the next change of the open transaction. */
  public void change(ChangeEvent change) {
    sends.requireWorking();
    if (change instanceof RowChange row) {
      journalSchema(row.schema());
    }
    if (changesInTransaction == 0) {
      encoder.begin();
    }
    changesInTransaction++;
    if (change instanceof Message) {
      messagesInTransaction++;
    }
    int size = encoder.add(change);
    if (size > maxValueSize.bytes()) {
      throw new SluiceException.Fatal(tooLarge(change, size));
    }
  }

  /**
   * Ends the open transaction. A transaction without changes is not written, and its position is
   * never reported as acknowledged.
   *
   * @param commitMicros its commit time on the source, microseconds since 1970
   * @param transactionId the source's id of it; 0 if the source has none
   */
  public void commit(Position position, long commitMicros, long transactionId) {
    commit(position, commitMicros, transactionId, "");
  }

  /**
   * The same, with what the source needs to read on after the transaction.
   *
   * @param bookmark empty if the position says it
   */
  public void commit(Position position, long commitMicros, long transactionId, String bookmark) {
    sends.requireWorking();
    if (changesInTransaction == 0) {
      return;
    }
    // Fences, and what the validation writes to close a window, are no changes of rows.
    changes += changesInTransaction - messagesInTransaction;
    transactions++;
    changesInTransaction = 0;
    messagesInTransaction = 0;
    end(position, commitMicros, transactionId, bookmark);
  }

  /**
   * Journals the position that the source's log has reached.
   *
   * @param sourceMicros time on the source, microseconds since 1970
   */
  public void progress(Position position, long sourceMicros) {
    progress(position, sourceMicros, "");
  }

  /**
   * The same, with what the source needs to read on from there.
   *
   * @param bookmark empty if the position says it
   */
  public void progress(Position position, long sourceMicros, String bookmark) {
    sends.requireWorking();
    if (changesInTransaction > 0) {
      throw new IllegalStateException(
          "BUG: progress to " + position + " inside an open transaction");
    }
    encoder.begin();
    end(position, sourceMicros, 0, bookmark);
  }

  /**
   * The position of the last acknowledged transaction; empty if there is no new one since the last
   * call.
   *
   * @throws SluiceException if a send failed
   */
  public Optional<Position> takeAcknowledged() {
    sends.requireWorking();
    PendingEnd last = null;
    while (!pending.isEmpty() && pending.peek().sent() <= sends.acknowledged()) {
      last = pending.poll();
    }
    if (last == null) {
      return Optional.empty();
    }
    // A send may have failed and a later one been acknowledged; the count is the same for both. The
    // failure is set before the later answer is counted.
    sends.requireWorking();
    progress = last.progress();
    return Optional.of(last.progress().acknowledged());
  }

  public CaptureProgress progress() {
    return progress;
  }

  /** Waits up to five seconds for pending sends, then closes the producer. */
  @Override
  public void close() {
    sends.close();
  }

  private void end(Position position, long micros, long transactionId, String bookmark) {
    encoder.end(position, micros, transactionId, bookmark);
    Instant time = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    pending.add(
        new PendingEnd(
            sends.sent(),
            new CaptureProgress(
                position, Optional.of(time), changes, transactions, sends.bytes())));
  }

  /** A schema is acknowledged before the first record that refers to it is sent. */
  private void journalSchema(RowSchema schema) {
    if (schema == lastSchema || journaledSchemas.contains(schema.fingerprint())) {
      lastSchema = schema;
      return;
    }
    String name = Long.toHexString(schema.fingerprint());
    sends.awaitAcknowledged(
        topics.schemas(), name.getBytes(StandardCharsets.US_ASCII), SchemaCodec.encode(schema));
    journaledSchemas.add(schema.fingerprint());
    LOG.debug(
        "table {} is journaled with {} under schema {}",
        schema.table(),
        Counted.of(schema.columns().size(), "column"),
        name);
  }

  private Problem tooLarge(ChangeEvent change, int size) {
    String what = "a change";
    if (change instanceof RowChange row) {
      what =
          row.match() != null
              ? "the row " + row.match()
              : "the row " + row.schema().matchOf(row.row());
      what = "table " + row.schema().table() + ", " + what;
    }
    return new Problem(
        what,
        "a change of " + DataSize.ofBytes(size),
        "at most MaxValueSize = " + maxValueSize,
        "Raise Sluice.MaxValueSize in the task settings");
  }

  /** An end of a transaction that Kafka has not acknowledged yet. */
  private record PendingEnd(long sent, CaptureProgress progress) {}
}
