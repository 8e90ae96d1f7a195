package dev.sluice.connector.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.connector.api.ChangeEvent.Message;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEncoder;
import dev.sluice.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  @TempDir static Path directory;
  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start(directory);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** A daemon that was frozen would else delete what a later one's connector needs to start. */
  @Test
  void onlyTheHistoriesOfEarlierAttemptsAreDeleted() throws Exception {
    JournalTopics topics = JournalTopics.ofTask("histories");
    JournalTopics others = JournalTopics.ofTask("histories2");
    try (Journal journal = new Journal(client(), topics);
        Admin admin = Admin.create(client())) {
      admin
          .createTopics(
              Stream.of(topics.history(1), topics.history(2), topics.history(3), others.history(1))
                  .map(name -> new NewTopic(name, 1, (short) 1))
                  .toList())
          .all()
          .get();
      journal.dropHistoriesBefore(2);
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(admin.listTopics().names().get())
                      .contains(topics.history(2), topics.history(3), others.history(1))
                      .doesNotContain(topics.history(1)));
    }
  }

  @Test
  void createdTopicsHaveNoProblemsAndAChangedSettingIsReported() throws Exception {
    JournalTopics topics = JournalTopics.ofTask("settings");
    try (Journal journal = new Journal(client(), topics);
        Admin admin = Admin.create(client())) {
      assertThat(journal.problems()).isEmpty();
      assertThat(journal.topicId()).isEmpty();
      journal.create();
      journal.create();
      assertThat(journal.topicId()).isPresent();
      assertThat(journal.problems()).isEmpty();
      admin
          .incrementalAlterConfigs(
              Map.of(
                  new ConfigResource(ConfigResource.Type.TOPIC, topics.journal()),
                  List.of(
                      new AlterConfigOp(
                          new ConfigEntry("retention.ms", "1000"), AlterConfigOp.OpType.SET))))
          .all()
          .get();
      // The broker hears of both from the controller, some time after it was answered.
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(journal.problems())
                      .singleElement()
                      .satisfies(
                          problem -> assertThat(problem.found()).isEqualTo("retention.ms = 1000")));
      journal.drop();
      await().atMost(TIMEOUT).until(() -> journal.topicId().isEmpty());
    }
  }

  @Test
  void theLastCompleteTransactionIsFoundAfterIncompleteOnesAndOldTerms() {
    JournalTopics topics = JournalTopics.ofTask("tail");
    try (Journal journal = new Journal(client(), topics)) {
      journal.create();
      assertThat(journal.tail(0, 0, 0).lastWhole()).isEmpty();

      List<byte[]> first = term(1, 10, 20, 30);
      List<byte[]> torn = first.subList(0, first.size() - 1);
      send(topics, torn);
      assertThat(journal.tail(0, 0, 0).lastWhole()).contains(new Position(20));

      send(topics, term(2, 20, 25));
      send(topics, first.subList(first.size() - 1, first.size()));
      assertThat(journal.tail(0, 0, 0).lastWhole()).contains(new Position(25));
      assertThat(journal.tail(0, 0, 0).newestTerm()).isEqualTo(2);
      assertThat(journal.tail(journal.endOffset(), 2, 2))
          .isEqualTo(new JournalTail(Optional.empty(), 2, Optional.empty()));
    }
  }

  @Test
  void recordsAfterAGapInATermAreIgnored() {
    JournalTopics topics = JournalTopics.ofTask("hole");
    try (Journal journal = new Journal(client(), topics)) {
      journal.create();
      List<byte[]> records = new ArrayList<>(term(1, 10, 20, 30));
      records.remove(2);
      send(topics, records);
      assertThat(journal.tail(0, 0, 0).lastWhole()).contains(new Position(10));
      assertThat(journal.tail(2, 1, 1).lastWhole()).isEmpty();
      assertThat(journal.tail(2, 1, 2).lastWhole()).contains(new Position(30));
    }
  }

  @Test
  void theEndBeforeARecordIsWhatASinkHasThere() {
    JournalTopics topics = JournalTopics.ofTask("before");
    try (Journal journal = new Journal(client(), topics)) {
      journal.create();
      send(topics, bookmarked(1, "first ", 10, 20, 30));
      journal.deleteUpTo(2);
      long fence = journal.endOffset();
      send(topics, bookmarked(2, "second ", 40));
      assertThat(journal.tailBefore(fence, 3, 1, 2).furthest().orElseThrow().bookmark())
          .isEqualTo("first 30");
      assertThat(journal.tailBefore(fence, 0, 1, 2).furthest().orElseThrow().position())
          .as("also if what is applied is read again")
          .isEqualTo(new Position(30));
      assertThat(journal.tailBefore(fence, 0, 0, 0).furthest())
          .as("without the term's first record")
          .isEmpty();
      assertThat(journal.tailBefore(fence + 2, 3, 1, 2).furthest().orElseThrow().bookmark())
          .isEqualTo("second 40");
    }
  }

  @Test
  void aTransactionHasTheBookmarkOfItsOwnTerm() {
    JournalTopics topics = JournalTopics.ofTask("bookmarks");
    try (Journal journal = new Journal(client(), topics)) {
      journal.create();
      send(topics, bookmarked(1, "first ", 10, 20));
      send(topics, bookmarked(2, "second ", 20, 30));
      // What an earlier daemon had still to send.
      send(topics, bookmarked(1, "late ", 10, 20).subList(2, 3));
      send(topics, term(3, 40));
      assertThat(journal.bookmarkOf(1, 1)).contains("first 10");
      assertThat(journal.bookmarkOf(2, 1)).contains("second 20");
      assertThat(journal.bookmarkOf(3, 1)).isEmpty();
      assertThat(journal.bookmarkOf(2, 3)).isEmpty();
    }
  }

  @Test
  void appliedRecordsAreDeletedUpToAnOffset() {
    JournalTopics topics = JournalTopics.ofTask("trim");
    try (Journal journal = new Journal(client(), topics)) {
      journal.create();
      send(topics, term(1, 10, 20));
      journal.deleteUpTo(2);
      journal.deleteUpTo(1);
      assertThat(journal.startOffset()).isEqualTo(2);
      assertThat(journal.endOffset()).isEqualTo(3);
    }
  }

  /** The records of a term with one small transaction at each position. */
  private static List<byte[]> term(long term, long... positions) {
    List<byte[]> records = new ArrayList<>();
    records.add(new JournalRecord.TermStart(term, Position.ZERO).encode());
    TransactionEncoder encoder = new TransactionEncoder(term, 1000, records::add);
    for (long position : positions) {
      encoder.begin();
      encoder.add(new Message("m", new byte[] {1}));
      encoder.end(new Position(position), 0);
    }
    return records;
  }

  /** The records of a term with a transaction at each position, whose bookmark names it. */
  private static List<byte[]> bookmarked(long term, String name, long... positions) {
    List<byte[]> records = new ArrayList<>();
    records.add(new JournalRecord.TermStart(term, Position.ZERO).encode());
    TransactionEncoder encoder = new TransactionEncoder(term, 1000, records::add);
    for (long position : positions) {
      encoder.begin();
      encoder.add(new Message("m", new byte[] {1}));
      encoder.end(new Position(position), 0, 0, name + position);
    }
    return records;
  }

  private static void send(JournalTopics topics, List<byte[]> records) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(client(), new ByteArraySerializer(), new ByteArraySerializer())) {
      records.forEach(record -> producer.send(new ProducerRecord<>(topics.journal(), record)));
      producer.flush();
    }
  }

  private static Map<String, Object> client() {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }
}
