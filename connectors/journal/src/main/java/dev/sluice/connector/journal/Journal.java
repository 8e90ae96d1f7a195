package dev.sluice.connector.journal;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Administration of a task's two topics: creates, checks, measures, trims and deletes them. The
 * publisher writes their records, the intake reads them. Connects at the first question: a task
 * that captures no changes has no Kafka. Used by one thread at a time.
 */
public final class Journal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
  private static final int BEST_REPLICATION = 3;

  private final JournalTopics topics;
  private final TopicPartition partition;
  private final Map<String, Object> clientProperties;

  /** Null before the first question. */
  private Admin connected;

  /**
   * @param clientProperties Kafka's connection properties: {@code bootstrap.servers} and security
   */
  public Journal(Map<String, Object> clientProperties, JournalTopics topics) {
    this.topics = topics;
    this.partition = new TopicPartition(topics.journal(), 0);
    this.clientProperties = Map.copyOf(clientProperties);
  }

  /** The properties with which a client connects. */
  public Map<String, Object> client() {
    return clientProperties;
  }

  /**
   * Creates missing topics and waits until the brokers know them. Existing topics are not changed,
   * so the right to create topics is not needed for them.
   */
  public void create() {
    for (String topic : List.of(topics.schemas(), topics.journal())) {
      if (TopicLookup.describe(admin(), topic).isEmpty()) {
        TopicCreation.on(admin()).create(topic, topic.equals(topics.schemas()));
        awaitKnown(topic);
      }
    }
  }

  /** The controller has a new topic earlier than the other brokers. */
  private void awaitKnown(String topic) {
    boolean known =
        Polling.every(POLL_INTERVAL)
            .waitFor("a topic", TIMEOUT, () -> TopicLookup.describe(admin(), topic).isPresent());
    if (!known) {
      throw new SluiceException.Retryable(
          "topic %s was created, but the brokers do not know it after %d s"
              .formatted(topic, TIMEOUT.toSeconds()),
          null);
    }
  }

  /**
   * Makes the task the owner of the existing topics, if they have none.
   *
   * @param id the task's id
   * @param text describes the owner in messages of other tasks
   * @throws SluiceException.Fatal if they have another owner
   */
  public void own(String id, String text) {
    TopicOwner owner = new TopicOwner(clientProperties, topics);
    if (owner.read().isEmpty()) {
      owner.write(id, text);
    }
    Optional<Problem> anothers = anothers(id);
    if (anothers.isPresent()) {
      throw new SluiceException.Fatal(anothers.get());
    }
  }

  /**
   * A problem if the topics have another owner; empty if the task owns them, or if they have no
   * owner. A journal without its schema topic has no owner.
   */
  public Optional<Problem> anothers(String id) {
    if (TopicLookup.describe(admin(), topics.schemas()).isEmpty()) {
      return Optional.empty();
    }
    return new TopicOwner(clientProperties, topics)
        .read()
        .filter(mark -> !mark.id().equals(Optional.of(id)))
        .map(
            mark ->
                new Problem(
                    "topics " + topics.journal() + " and " + topics.schemas(),
                    "they belong to another task: " + mark.text(),
                    "topics of this task, or no topics with these names",
                    "Choose another name for this task (task: in the task file). Delete both topics"
                        + " by hand only if nobody needs them any more"));
  }

  /** The problems of the cluster, of existing topics, and of the rights on both. */
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    try {
      TopicChecks checks = TopicChecks.on(admin());
      problems.addAll(checks.problems(topics.journal(), false));
      problems.addAll(checks.problems(topics.schemas(), true));
    } catch (SluiceException e) {
      problems.add(
          new Problem(
              "Kafka at " + clientProperties.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG),
              e.getMessage(),
              "a cluster that answers",
              "Start it, or correct the kafka section of the task file"));
    }
    return problems;
  }

  /**
   * Kafka's id of the journal topic, which differs if the topic is re-created; empty if there is
   * none.
   */
  public Optional<Uuid> topicId() {
    return TopicLookup.describe(admin(), topics.journal()).map(TopicDescription::topicId);
  }

  /** The offset of the first record that is not deleted. */
  public long startOffset() {
    return offset(OffsetSpec.earliest());
  }

  /** The offset that the next record will get. */
  public long endOffset() {
    return offset(OffsetSpec.latest());
  }

  private long offset(OffsetSpec spec) {
    return KafkaFailures.await(
            "asking for the offsets of " + partition,
            admin().listOffsets(Map.of(partition, spec)).partitionResult(partition))
        .offset();
  }

  /** Deletes the records below an offset, if there are any. */
  public void deleteUpTo(long offset) {
    if (offset > startOffset()) {
      KafkaFailures.await(
          "deleting records of " + partition + " below offset " + offset,
          admin().deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset))).all());
    }
  }

  /**
   * Deletes the histories of definitions of earlier attempts of the task.
   *
   * @param number of the attempt that begins
   */
  public void dropHistoriesBefore(long number) {
    dropHistories(topic -> topics.historyNumber(topic) < number);
  }

  private void dropHistories(Predicate<String> dropped) {
    List<String> histories =
        KafkaFailures.await("listing the topics", admin().listTopics().names()).stream()
            .filter(topics::isHistory)
            .filter(dropped)
            .toList();
    if (!histories.isEmpty()) {
      KafkaFailures.await("deleting topics " + histories, admin().deleteTopics(histories).all());
      LOG.info("topics {} deleted", histories);
    }
  }

  /** Deletes the topics of the task; true if the journal or its schemas existed. */
  public boolean drop() {
    boolean any = false;
    dropHistories(history -> true);
    for (String topic : List.of(topics.journal(), topics.schemas())) {
      if (TopicLookup.describe(admin(), topic).isPresent()) {
        KafkaFailures.await("deleting topic " + topic, admin().deleteTopics(List.of(topic)).all());
        LOG.info("topic {} deleted", topic);
        any = true;
      }
    }
    return any;
  }

  /**
   * Reads the journal to its end.
   *
   * @param offset the offset to start reading; if that record is deleted, the first existing one
   * @param term the term of the checkpoint that has the offset; 0 if there is none
   * @param transaction the checkpoint's transaction in that term
   */
  public JournalTail tail(long offset, long term, long transaction) {
    return tailBefore(endOffset(), offset, term, transaction);
  }

  /**
   * Reads the journal up to a record, for example the first one of a term: nothing that is written
   * later counts.
   *
   * @param end the offset of that record, which is not read
   * @param offset the offset to start reading; if that record is deleted, the first existing one
   * @param term the term of the checkpoint that has the offset; 0 if there is none
   * @param transaction the checkpoint's transaction in that term
   */
  public JournalTail tailBefore(long end, long offset, long term, long transaction) {
    JournalEndReader reader = new JournalEndReader(term, transaction);
    read(offset, end, reader::add);
    return reader.tail();
  }

  /**
   * Finds the bookmark of a transaction or progress message. Reads the whole journal.
   *
   * @param term that has it
   * @param transaction its number in that term
   * @return empty if the journal does not have its end, or the end has no bookmark
   */
  public Optional<String> bookmarkOf(long term, long transaction) {
    BookmarkSearch search = new BookmarkSearch(term, transaction);
    read(0, endOffset(), search::add);
    return search.found();
  }

  private void read(long offset, long end, Consumer<JournalRecord> records) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(List.of(partition));
      consumer.seek(partition, Math.max(offset, startOffset()));
      while (consumer.position(partition, TIMEOUT) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
          if (record.offset() < end) {
            records.accept(JournalRecord.parse(record.value()));
          }
        }
      }
    } catch (RuntimeException e) {
      throw KafkaFailures.classify("reading the end of " + partition, e);
    }
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    Map<String, Object> settings = new java.util.HashMap<>(clientProperties);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  @Override
  public void close() {
    if (connected != null) {
      connected.close(Duration.ofSeconds(5));
    }
  }

  private Admin admin() {
    if (connected == null) {
      Map<String, Object> settings = new HashMap<>(clientProperties);
      settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
      settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
      connected = Admin.create(settings);
    }
    return connected;
  }
}
