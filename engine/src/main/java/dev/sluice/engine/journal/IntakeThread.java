package dev.sluice.engine.journal;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.PollDirective;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.intake.JournalConsumer;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The intake thread: reads the journal from an offset on and passes it to the sink's pipeline,
 * which it owns. Single use. Requesting its stop and waiting for its end are two calls, from any
 * thread.
 */
public final class IntakeThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IntakeThread.class);

  /** Also the longest delay until other settings or another bound of the lane are noticed. */
  private static final Duration LONGEST_POLL = Duration.ofMillis(200);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final Consumer<byte[], byte[]> consumer;
  private final TopicPartition journal;
  private final SinkPipeline pipeline;
  private final MonotonicClock clock;
  private final Thread thread;

  private volatile Ending ending = Ending.NONE;
  private volatile SluiceException failure;
  private volatile Reading reading;
  private volatile JournalOffset drainedAt;

  private IntakeThread(
      Consumer<byte[], byte[]> consumer,
      TopicPartition journal,
      long startOffset,
      SinkPipeline pipeline,
      MonotonicClock clock) {
    this.consumer = consumer;
    this.journal = journal;
    this.pipeline = pipeline;
    this.clock = clock;
    this.reading = new Reading(startOffset, 0, OptionalLong.empty());
    this.thread = new Thread(this::run, threadName(pipeline.lane()));
    pipeline.wakeWith(consumer::wakeup);
  }

  /**
   * Starts the thread.
   *
   * @param kafka client properties
   * @param startOffset of the first record for the pipeline
   * @param pipeline owned by the reader, which closes it
   * @param clock for the pipeline's decisions by elapsed time
   */
  public static IntakeThread start(
      Map<String, Object> kafka,
      String topic,
      long startOffset,
      SinkPipeline pipeline,
      MonotonicClock clock) {
    return start(
        JournalConsumer.at(kafka, topic, startOffset), topic, startOffset, pipeline, clock);
  }

  /** The same with a consumer, which the reader closes. */
  static IntakeThread start(
      Consumer<byte[], byte[]> consumer,
      String topic,
      long startOffset,
      SinkPipeline pipeline,
      MonotonicClock clock) {
    IntakeThread reader =
        new IntakeThread(consumer, new TopicPartition(topic, 0), startOffset, pipeline, clock);
    LOG.info("reads {} from offset {}", topic, startOffset);
    reader.thread.start();
    return reader;
  }

  /** Why it failed; empty if it did not. From any thread. */
  public Optional<SluiceException> failure() {
    return Optional.ofNullable(failure);
  }

  /**
   * The journal position at which the pipeline was drained: everything before it is durably on the
   * target, and nothing after it. Empty until then. From any thread.
   */
  public Optional<JournalOffset> drainedAt() {
    return Optional.ofNullable(drainedAt);
  }

  /** Its reading progress; from any thread. */
  public Reading reading() {
    return reading;
  }

  /** Requests that it applies the open window durably and ends. */
  public void askToDrain() {
    ask(Ending.DRAINED);
  }

  /** Requests that it ends; what was read and not applied stays in the journal. */
  public void askToStop() {
    ask(Ending.STOPPED);
  }

  /** Waits for its end; returns whether it ended within the timeout. */
  public boolean awaitEnd(Duration timeout) throws InterruptedException {
    thread.join(Math.max(1, timeout.toMillis()));
    return !thread.isAlive();
  }

  /** Ends it without draining, if it has not ended yet. Idempotent. */
  @Override
  public void close() {
    askToStop();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String threadName(LaneId lane) {
    return lane.isMain() ? "sluice-intake" : "sluice-intake-" + lane.text().replace(' ', '-');
  }

  private void run() {
    try {
      readOn();
      if (ending == Ending.DRAINED) {
        drainedAt = pipeline.drainAndStop();
      }
    } catch (SluiceException e) {
      failure = e;
    } catch (OffsetOutOfRangeException e) {
      failure = lost(e);
    } catch (AuthorizationException e) {
      failure =
          new SluiceException.Fatal(
              "Kafka refuses access to %s: %s".formatted(journal.topic(), e.getMessage()), e);
    } catch (KafkaException e) {
      failure =
          new SluiceException.Retryable(
              "the journal %s cannot be read: %s".formatted(journal.topic(), e.getMessage()), e);
    } catch (Throwable e) {
      // An Error too: otherwise the task would run on without applying anything.
      failure = new SluiceException.Fatal("BUG: the intake ended: " + e, e);
      LOG.error("the intake ends: {}", e.toString(), e);
    } finally {
      closeAll();
    }
  }

  private void readOn() {
    boolean paused = false;
    Duration wait = Duration.ZERO;
    while (ending == Ending.NONE) {
      List<JournalEntry> entries = poll(wait);
      OptionalLong lag = consumer.currentLag(journal);
      boolean atEnd = lag.isPresent() ? lag.getAsLong() == 0 : entries.isEmpty();
      PollDirective demand = pipeline.accept(entries, atEnd && !paused, clock.instant());
      note(entries, lag);
      if (demand.isAtEnd()) {
        askToDrain();
      }
      if (demand.pause() && !paused) {
        consumer.pause(List.of(journal));
      } else if (!demand.pause() && paused) {
        consumer.resume(List.of(journal));
      }
      paused = demand.pause();
      wait = min(demand.callAgainWithin(), LONGEST_POLL);
    }
  }

  /** The next records. None if the pipeline or a request wakes it: no record is lost by that. */
  private List<JournalEntry> poll(Duration longest) {
    try {
      return entriesOf(consumer.poll(longest));
    } catch (WakeupException e) {
      return List.of();
    }
  }

  private static List<JournalEntry> entriesOf(ConsumerRecords<byte[], byte[]> records) {
    List<JournalEntry> entries = new ArrayList<>(records.count());
    for (ConsumerRecord<byte[], byte[]> record : records) {
      entries.add(new JournalEntry(record.offset(), record.value()));
    }
    return entries;
  }

  private void note(List<JournalEntry> entries, OptionalLong lag) {
    if (!entries.isEmpty() || !lag.equals(reading.lag())) {
      long next =
          entries.isEmpty() ? reading.nextOffset() : entries.get(entries.size() - 1).offset() + 1;
      reading = new Reading(next, reading.records() + entries.size(), lag);
    }
  }

  private SluiceException.Fatal lost(OffsetOutOfRangeException e) {
    Long offset = e.offsetOutOfRangePartitions().get(journal);
    return new SluiceException.Fatal(
        new Problem(
            "journal " + journal.topic(),
            "has no offset " + offset + ", which is the next one after the target's checkpoint",
            "every record from the checkpoint on",
            "Another program or a retention setting deleted its records: let nothing delete"
                + " there. The changes in them are lost: sluice resync makes the target equal again."
                + " It compares all rows and overwrites what differs"));
  }

  private void ask(Ending asked) {
    if (ending == Ending.NONE) {
      ending = asked;
      consumer.wakeup();
    }
  }

  private void closeAll() {
    try {
      pipeline.close();
    } catch (RuntimeException | Error e) {
      LOG.warn("the sink does not close cleanly: {}", e.toString());
    }
    try {
      consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
    } catch (KafkaException e) {
      LOG.warn("the journal's consumer does not close cleanly: {}", e.toString());
    }
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  private enum Ending {
    NONE,
    DRAINED,
    STOPPED
  }

  /**
   * The progress of reading the journal. Immutable.
   *
   * @param nextOffset of the next record
   * @param records read since the start
   * @param lag records in the journal that are not read yet; empty before Kafka's first answer
   */
  public record Reading(long nextOffset, long records, OptionalLong lag) {}
}
