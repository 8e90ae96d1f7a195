package dev.sluice.connector.generic.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.connector.api.source.AppliedJournal;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.generic.record.Bookmark;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.Publisher;
import dev.sluice.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A capture that begins while an earlier one still has records to send. The source's transactions
 * are numbered 1, 2, …; a heartbeat takes a position as well, and an earlier capture had another
 * number of them.
 */
class JournaledStartTest {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final long ATTEMPT = 1_000;

  @TempDir static Path directory;
  private static EmbeddedBroker broker;

  private final JournalTopics topics = JournalTopics.ofTask("late" + NUMBER.incrementAndGet());
  private final List<byte[]> unsent = new ArrayList<>();
  private final TransactionEncoder earlier = new TransactionEncoder(1, 1_000, unsent::add);
  private long earlierPosition;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start(directory);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void create() {
    try (Journal journal = journal()) {
      Awaitility.await()
          .atMost(TIMEOUT)
          .ignoreExceptionsInstanceOf(SluiceException.Retryable.class)
          .untilAsserted(journal::create);
    }
  }

  /** How much of the journal is deleted when the later capture begins. */
  private enum Kept {
    ALL,
    LAST_APPLIED,
    NOTHING
  }

  /** When the earlier capture's records come. */
  private enum Late {
    BEFORE_THE_TERM,
    BEFORE_THE_JOURNAL_IS_READ,
    BEFORE_THE_FIRST_TRANSACTION,
    BETWEEN_TWO_TRANSACTIONS
  }

  @ParameterizedTest
  @CsvSource({
    "ALL,          BEFORE_THE_TERM",
    "ALL,          BEFORE_THE_JOURNAL_IS_READ",
    "ALL,          BEFORE_THE_FIRST_TRANSACTION",
    "ALL,          BETWEEN_TWO_TRANSACTIONS",
    "LAST_APPLIED, BEFORE_THE_TERM",
    "LAST_APPLIED, BEFORE_THE_JOURNAL_IS_READ",
    "LAST_APPLIED, BEFORE_THE_FIRST_TRANSACTION",
    "LAST_APPLIED, BETWEEN_TWO_TRANSACTIONS"
  })
  void eachTransactionIsAppliedOnceWheneverAnEarlierCapturesRecordsCome(Kept kept, Late late) {
    begin(1);
    transaction(1);
    transaction(2);
    send();
    AppliedJournal applied = new AppliedJournal(position(2), 1, 2, 3);
    // Sent, and on their way.
    heartbeat();
    transaction(3);
    try (Journal journal = journal()) {
      if (kept == Kept.LAST_APPLIED) {
        journal.deleteUpTo(2);
      }
      assertThat(appliedAfter(journal, applied, late)).containsExactly("3", "4", "5");
    }
  }

  /** Nothing was applied, so the sink knows no term. */
  @ParameterizedTest
  @CsvSource({
    "ALL,     BEFORE_THE_TERM",
    "ALL,     BEFORE_THE_JOURNAL_IS_READ",
    "ALL,     BEFORE_THE_FIRST_TRANSACTION",
    "ALL,     BETWEEN_TWO_TRANSACTIONS",
    "NOTHING, BEFORE_THE_TERM",
    "NOTHING, BEFORE_THE_JOURNAL_IS_READ",
    "NOTHING, BEFORE_THE_FIRST_TRANSACTION",
    "NOTHING, BETWEEN_TWO_TRANSACTIONS"
  })
  void aSnapshotThatComesLateIsAppliedOnce(Kept kept, Late late) {
    begin(1);
    send();
    transaction(1);
    transaction(2);
    try (Journal journal = journal()) {
      int first = kept == Kept.NOTHING ? 1 : 0;
      if (kept == Kept.NOTHING) {
        journal.deleteUpTo(1);
      }
      assertThat(appliedAfter(journal, new AppliedJournal(position(0), 0, 0, first), late))
          .containsExactly("1", "2", "3", "4", "5");
    }
  }

  @Test
  void aFrozenCaptureOfAnEarlierTermThatBeginsLateIsIgnored() {
    begin(1);
    transaction(1);
    transaction(2);
    send();
    AppliedJournal applied = new AppliedJournal(position(2), 1, 2, 3);
    try (Journal journal = journal()) {
      journal.deleteUpTo(2);
      CaptureRequest request = request(3, applied);
      try (Publisher publisher = Publisher.alone(request)) {
        // The frozen daemon had claimed term 2.
        try (Publisher frozen = Publisher.alone(request(2, applied))) {
          assertThatThrownBy(() -> JournaledStart.of(journal, request(2, applied), frozen))
              .isInstanceOf(SluiceException.Retryable.class)
              .hasMessageContaining("another daemon has taken over");
        }
        JournaledStart start = JournaledStart.of(journal, request, publisher);
        assertThat(start.position()).isEqualTo(position(2));
      }
      // Its first record is all that is left of its term: the next capture must not count from it.
      CaptureRequest next = request(4, applied);
      try (Publisher publisher = Publisher.alone(next)) {
        JournaledStart start = JournaledStart.of(journal, next, publisher);
        assertThat(start.position()).isEqualTo(position(2));
        assertThat(start.bookmark().orElseThrow().transaction()).isEqualTo("2");
      }
    }
  }

  /** The source would give up a log that the valid part of the journal does not have. */
  @Test
  void whatAnEarlierCaptureSendsAfterALaterOneBeganIsNeverAcknowledgedToTheSource() {
    AppliedJournal nothing = new AppliedJournal(position(0), 0, 0, 0);
    try (Publisher frozen = Publisher.alone(request(1, nothing))) {
      publish(frozen, 1, 1);
      Awaitility.await().until(() -> frozen.takeAcknowledged().isPresent());
      try (Publisher later = Publisher.alone(request(2, nothing))) {
        publish(frozen, 2, 2);
        assertThatThrownBy(
                () -> Awaitility.await().until(() -> frozen.takeAcknowledged().isPresent()))
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("somebody else has written");
        assertThat(frozen.progress().acknowledged()).isEqualTo(position(1));
        assertThat(later.begunAt()).isEqualTo(2);
      }
    }
  }

  @Test
  void aJournalWithoutTheLastAppliedTransactionIsRefused() {
    begin(1);
    transaction(1);
    send();
    try (Journal journal = journal()) {
      journal.deleteUpTo(2);
      CaptureRequest request = request(2, new AppliedJournal(position(1), 1, 1, 2));
      try (Publisher publisher = Publisher.alone(request)) {
        assertThatThrownBy(() -> JournaledStart.of(journal, request, publisher))
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("does not have Debezium's offset");
      }
    }
  }

  @Test
  void aJournalWithALaterLoadIsRefusedIfTheClockWasSetBack() {
    begin(1);
    transaction(1);
    send();
    AppliedJournal begun = new AppliedJournal(new Position(ATTEMPT - 1, 0), 0, 0, 0);
    CaptureRequest request = request(2, begun);
    try (Journal journal = journal();
        Publisher publisher = Publisher.alone(request)) {
      assertThatThrownBy(() -> JournaledStart.of(journal, request, publisher))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("clock of this machine was set back");
    }
  }

  /**
   * What a sink applies if a capture begins after the first one, which sends the rest of its
   * records at some point. The capture begins again if it notices them, as a daemon does.
   */
  private List<String> appliedAfter(Journal journal, AppliedJournal applied, Late late) {
    for (long term = 2; !captured(journal, request(term, applied), late); term++) {
      assertThat(term).isLessThan(5);
    }
    try (JournalReader sink = new JournalReader(client(), topics, applied)) {
      long end = journal.endOffset();
      List<String> read = new ArrayList<>();
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(
              () -> {
                sink.poll(Duration.ofMillis(50))
                    .forEach(each -> read.add(Bookmark.parse(each.bookmark()).transaction()));
                return sink.offset() >= end;
              });
      return read;
    }
  }

  /** Returns whether all is acknowledged. */
  private boolean captured(Journal journal, CaptureRequest request, Late late) {
    if (late == Late.BEFORE_THE_TERM) {
      send();
    }
    try (Publisher publisher = Publisher.alone(request)) {
      if (late == Late.BEFORE_THE_JOURNAL_IS_READ) {
        send();
      }
      JournaledStart start = JournaledStart.of(journal, request, publisher);
      int first =
          start.bookmark().map(after -> Integer.parseInt(after.transaction()) + 1).orElse(1);
      Position position = start.position();
      for (int transaction = first; transaction <= 5; transaction++) {
        if (late == Late.BEFORE_THE_FIRST_TRANSACTION
            || late == Late.BETWEEN_TWO_TRANSACTIONS && transaction > first) {
          send();
        }
        position = position.next();
        publish(publisher, transaction, position.low());
      }
      Position last = position;
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  last.equals(start.position())
                      || publisher.takeAcknowledged().filter(last::equals).isPresent());
      return true;
    } catch (SluiceException.Retryable e) {
      return false;
    }
  }

  private static void publish(Publisher publisher, int transaction, long low) {
    publisher.change(new Message("t", new byte[] {1}));
    publisher.commit(position(low), 0, 0, bookmark(transaction));
  }

  private void begin(long term) {
    unsent.add(new JournalRecord.TermStart(term, position(0)).encode());
  }

  private void transaction(int transaction) {
    earlier.begin();
    earlier.add(new Message("t", new byte[] {1}));
    earlier.end(position(++earlierPosition), 0, 0, bookmark(transaction));
  }

  private void heartbeat() {
    earlier.begin();
    earlier.end(position(++earlierPosition), 0, 0, bookmark(2));
  }

  private void send() {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(client(), new ByteArraySerializer(), new ByteArraySerializer())) {
      unsent.forEach(record -> producer.send(new ProducerRecord<>(topics.journal(), record)));
      producer.flush();
    }
    unsent.clear();
  }

  private static String bookmark(int transaction) {
    return new Bookmark(String.valueOf(transaction), Map.of(), Map.of("n", transaction)).text();
  }

  private static Position position(long low) {
    return new Position(ATTEMPT, low);
  }

  private CaptureRequest request(long term, AppliedJournal applied) {
    return new CaptureRequest(
        term,
        applied.position(),
        client(),
        topics,
        DataSize.ofMebibytes(1),
        Duration.ofSeconds(5),
        applied,
        Optional.empty(),
        true);
  }

  private Journal journal() {
    return new Journal(client(), topics);
  }

  private static Map<String, Object> client() {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }
}
