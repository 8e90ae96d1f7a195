package dev.sluice.connect.settings;

import dev.sluice.config.document.SluiceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Reads the state of topics from the cluster. Used by one thread. */
public final class KafkaTopics implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final Admin admin;

  /**
   * @param kafka Kafka client properties
   * @throws SluiceException.Fatal if they cannot be used
   */
  public KafkaTopics(Map<String, Object> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
    settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis() / 2);
    try {
      this.admin = Admin.create(settings);
    } catch (KafkaException e) {
      String why = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
      throw new SluiceException.Fatal("Kafka's properties cannot be used: " + why, e);
    }
  }

  Optional<TopicDescription> describe(String topic) {
    try {
      return Optional.of(
          await("look for topic " + topic, admin.describeTopics(List.of(topic)).allTopicNames())
              .get(topic));
    } catch (SluiceException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * The extent of a partition.
   *
   * @throws SluiceException.Retryable if the topic does not exist or Kafka does not respond
   */
  public Extent extent(TopicPartition partition) {
    return extents(List.of(partition)).get(partition);
  }

  /**
   * The extents of partitions.
   *
   * @throws SluiceException.Retryable if a topic does not exist or Kafka does not respond
   */
  public Map<TopicPartition, Extent> extents(Collection<TopicPartition> partitions) {
    List<String> names = partitions.stream().map(TopicPartition::topic).distinct().toList();
    Map<String, TopicDescription> topics =
        await("look for the topics " + names, admin.describeTopics(names).allTopicNames());
    Map<TopicPartition, Long> starts = offsets(partitions, OffsetSpec.earliest());
    Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
    Map<TopicPartition, Extent> extents = new HashMap<>();
    for (TopicPartition partition : partitions) {
      extents.put(
          partition,
          new Extent(
              topics.get(partition.topic()).topicId().toString(),
              starts.get(partition),
              ends.get(partition)));
    }
    return extents;
  }

  /**
   * The start offsets of partitions.
   *
   * @throws SluiceException.Retryable if Kafka does not respond
   */
  public Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions) {
    return offsets(partitions, OffsetSpec.earliest());
  }

  /** The ids of topics, once Kafka has responded; without topics that do not exist. */
  public CompletableFuture<Map<String, String>> ids(Collection<String> names) {
    Map<String, String> ids = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> answers = new ArrayList<>();
    admin
        .describeTopics(names)
        .topicNameValues()
        .forEach(
            (name, answer) ->
                answers.add(
                    answer
                        .toCompletionStage()
                        .toCompletableFuture()
                        .handle(
                            (topic, missing) ->
                                topic == null ? null : ids.put(name, topic.topicId().toString()))));
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).thenApply(all -> ids);
  }

  /** The number of a topic's partitions; 0 if it does not exist. */
  public int partitions(String topic) {
    return describe(topic).map(found -> found.partitions().size()).orElse(0);
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(5));
  }

  private Map<TopicPartition, Long> offsets(
      Collection<TopicPartition> partitions, OffsetSpec spec) {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    partitions.forEach(partition -> asked.put(partition, spec));
    Map<TopicPartition, Long> offsets = new HashMap<>();
    await("ask for the offsets of " + partitions, admin.listOffsets(asked).all())
        .forEach((partition, found) -> offsets.put(partition, found.offset()));
    return offsets;
  }

  private static <T> T await(String attempted, KafkaFuture<T> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      String message = "could not %s: %s".formatted(attempted, cause.getMessage());
      throw cause instanceof RetriableException
          ? new SluiceException.Retryable(message, cause)
          : new SluiceException.Fatal(message, cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("interrupted: " + attempted, e);
    }
  }

  /** The ids of the topics of these partitions. */
  public static Map<String, String> idsOf(Map<TopicPartition, Extent> extents) {
    Map<String, String> ids = new HashMap<>();
    extents.forEach((partition, extent) -> ids.put(partition.topic(), extent.topicId()));
    return ids;
  }

  /**
   * The extent of a partition's log. Immutable.
   *
   * @param topicId distinguishes the topic from a later one of the same name
   * @param start offset of the first record
   * @param end offset of the next record
   */
  public record Extent(String topicId, long start, long end) {}
}
