package dev.sluice.engine.journal;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.journal.Journal;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ClusterAuthorizationException;

/**
 * Deletes the applied part of the journal, and measures the rest. Owned by the monitor thread,
 * which also closes it.
 */
public final class JournalUpkeep implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final Journal journal;
  private final Admin admin;
  private final TopicPartition partition;

  /** Empty for a task without Kafka. */
  public static Optional<JournalUpkeep> of(JournalBroker kafka, JournalTopics topics) {
    return kafka.isThere()
        ? Optional.of(new JournalUpkeep(kafka.client(), topics))
        : Optional.empty();
  }

  private JournalUpkeep(Map<String, Object> kafka, JournalTopics topics) {
    this.journal = new Journal(kafka, topics);
    this.admin = Admin.create(kafka);
    this.partition = new TopicPartition(topics.journal(), 0);
  }

  /**
   * Deletes the records below an offset, except the last one; they must be durably on the target.
   * The last one ends the last applied transaction, and may have the bookmark with which a source
   * goes on after it.
   */
  public void deleteBefore(long offset) {
    if (offset > 1) {
      journal.deleteUpTo(offset - 1);
    }
  }

  /**
   * Measures the journal.
   *
   * @throws SluiceException.Retryable if Kafka does not answer
   */
  public Extent extent() {
    List<LogDirDescription> disks = disks();
    return new Extent(
        journal.startOffset(),
        journal.endOffset(),
        disks.stream().mapToLong(disk -> disk.replicaInfos().get(partition).size()).max(),
        disks.stream()
            .map(LogDirDescription::usableBytes)
            .filter(OptionalLong::isPresent)
            .mapToLong(OptionalLong::getAsLong)
            .min());
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(5));
    journal.close();
  }

  /** The brokers' log directories that hold a replica. */
  private List<LogDirDescription> disks() {
    try {
      Collection<Integer> brokers =
          admin.describeCluster().nodes().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).stream()
              .map(Node::id)
              .toList();
      return admin
          .describeLogDirs(brokers)
          .allDescriptions()
          .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .values()
          .stream()
          .flatMap(directories -> directories.values().stream())
          .filter(directory -> directory.replicaInfos().containsKey(partition))
          .toList();
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      if (e.getCause() instanceof ClusterAuthorizationException) {
        // ClusterChecks reports this once; the offsets can be measured without that right.
        return List.of();
      }
      throw new SluiceException.Retryable(
          "the size of %s cannot be measured: %s".formatted(partition, e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException.Retryable("measuring " + partition + " was interrupted", e);
    }
  }

  /**
   * The extent of the journal. Immutable.
   *
   * @param startOffset of the first record
   * @param endOffset of the next record
   * @param bytes on a broker's disk, of the largest replica; empty if the client lacks the right
   * @param usableBytes least free space of the brokers' disks that hold it; empty if no broker
   *     reports it
   */
  public record Extent(
      long startOffset, long endOffset, OptionalLong bytes, OptionalLong usableBytes) {}
}
