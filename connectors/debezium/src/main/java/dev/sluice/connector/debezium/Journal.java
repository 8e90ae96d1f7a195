package dev.sluice.connector.debezium;

import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task's two topics as things on the Kafka cluster: created, checked, measured and trimmed. What
 * is in them is the publisher's and the intake's affair. Used by one thread at a time.
 */
public final class Journal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);
  private static final int BEST_REPLICATION = 3;

  private final JournalTopics topics;
  private final TopicPartition partition;
  private final Map<String, Object> clientProperties;
  private final Admin admin;

  /**
   * @param clientProperties how to reach Kafka: {@code bootstrap.servers} and what security needs
   */
  public Journal(Map<String, Object> clientProperties, JournalTopics topics) {
    this.topics = topics;
    this.partition = new TopicPartition(topics.journal(), 0);
    this.clientProperties = Map.copyOf(clientProperties);
    Map<String, Object> settings = new java.util.HashMap<>(clientProperties);
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
    settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
    this.admin = Admin.create(settings);
  }

  /** Creates the topics where they are missing; returns when the brokers know them. */
  public void create() {
    int brokers = await("asking for Kafka's brokers", admin.describeCluster().nodes()).size();
    TopicSettings settings = TopicSettings.forBrokers(brokers);
    create(topics.journal(), settings.journal(), settings.replication());
    create(topics.schemas(), settings.schemas(), settings.replication());
    awaitKnown(topics.journal());
    awaitKnown(topics.schemas());
  }

  /** The controller has a new topic before the broker that is asked for it has heard of it. */
  private void awaitKnown(String topic) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (describe(topic).isEmpty()) {
      if (System.nanoTime() > deadline) {
        throw new SluiceException.Retryable(
            "topic %s was made, and the brokers do not know it after %d s"
                .formatted(topic, PATIENCE.toSeconds()),
            null);
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(LOOK_AGAIN.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("waiting for a topic was interrupted", e);
    }
  }

  private void create(String topic, Map<String, String> settings, short replication) {
    try {
      await(
          "creating topic " + topic,
          admin.createTopics(List.of(new NewTopic(topic, 1, replication).configs(settings))).all());
      LOG.info("topic {} created with replication {} and {}", topic, replication, settings);
    } catch (SluiceException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  /** What is wrong with the cluster or with topics that exist; a missing topic is no problem. */
  public List<Problem> problems() {
    List<Problem> problems = new ArrayList<>();
    try {
      int brokers = await("asking for Kafka's brokers", admin.describeCluster().nodes()).size();
      problems.addAll(problems(topics.journal(), brokers, false));
      problems.addAll(problems(topics.schemas(), brokers, true));
    } catch (SluiceException e) {
      problems.add(
          new Problem(
              "Kafka at " + clientProperties.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG),
              e.getMessage(),
              "a cluster that answers",
              "Start it, or mend the kafka section of the task file"));
    }
    return problems;
  }

  private List<Problem> problems(String topic, int brokers, boolean compacted) {
    Optional<TopicDescription> description = describe(topic);
    if (description.isEmpty()) {
      return List.of();
    }
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Config config =
        await(
                "reading the settings of topic " + topic,
                admin.describeConfigs(List.of(resource)).all())
            .get(resource);
    int replication = description.get().partitions().get(0).replicas().size();
    return TopicSettings.problems(
        topic,
        compacted,
        description.get().partitions().size(),
        replication,
        Math.min(BEST_REPLICATION, brokers),
        name -> Optional.ofNullable(config.get(name)).map(ConfigEntry::value).orElse(""));
  }

  private Optional<TopicDescription> describe(String topic) {
    try {
      return Optional.of(
          await("looking for topic " + topic, admin.describeTopics(List.of(topic)).allTopicNames())
              .get(topic));
    } catch (SluiceException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** What tells this journal from a later one of the same name; empty where there is none. */
  public Optional<Uuid> topicId() {
    return describe(topics.journal()).map(TopicDescription::topicId);
  }

  /** The offset of the first record that is still there. */
  public long startOffset() {
    return offset(OffsetSpec.earliest());
  }

  /** The offset that the next record will get. */
  public long endOffset() {
    return offset(OffsetSpec.latest());
  }

  private long offset(OffsetSpec spec) {
    return await(
            "asking for the offsets of " + partition,
            admin.listOffsets(Map.of(partition, spec)).partitionResult(partition))
        .offset();
  }

  /** Deletes the records below an offset; nothing where they are gone already. */
  public void deleteUpTo(long offset) {
    if (offset > startOffset()) {
      await(
          "deleting records of " + partition + " below offset " + offset,
          admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset))).all());
    }
  }

  /** Deletes both topics with all that is in them. */
  public void drop() {
    for (String topic : List.of(topics.journal(), topics.schemas())) {
      if (describe(topic).isPresent()) {
        await("deleting topic " + topic, admin.deleteTopics(List.of(topic)).all());
        LOG.info("topic {} deleted", topic);
      }
    }
  }

  /**
   * The position of the last whole transaction or progress message in the journal.
   *
   * @param offset where to begin to read; below the first record that is there: with that one
   * @param term the term of the checkpoint that the offset belongs to; 0 where there is none
   * @param transaction the checkpoint's transaction in that term
   */
  public Optional<Position> lastWhole(long offset, long term, long transaction) {
    JournalTail tail = new JournalTail(term, transaction);
    long end = endOffset();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(List.of(partition));
      consumer.seek(partition, Math.max(offset, startOffset()));
      while (consumer.position(partition, PATIENCE) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
          tail.add(JournalRecord.parse(record.value()));
        }
      }
    } catch (RuntimeException e) {
      throw KafkaFailures.classify("reading the end of " + partition, e);
    }
    return tail.position();
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
    admin.close(Duration.ofSeconds(5));
  }

  private static <T> T await(String attempted, KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw KafkaFailures.classify(attempted, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw KafkaFailures.classify(attempted, e);
    }
  }
}
