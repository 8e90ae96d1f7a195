package dev.sluice.connect.join;

import dev.sluice.config.Counted;
import dev.sluice.config.document.SluiceException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides if the missing events of the oldest transaction may still come. Owned by the task's
 * thread.
 */
final class MissingEvents {
  private static final Logger LOG = LoggerFactory.getLogger(MissingEvents.class);

  /** How long an event may be after its transaction's end. */
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private final CollectionTopics topics;
  private final TableQueues queues;
  private final JoinRequests cluster;
  private Instant lastProgress = Instant.MIN;

  MissingEvents(CollectionTopics topics, TableQueues queues, JoinRequests cluster) {
    this.topics = topics;
    this.queues = queues;
    this.cluster = cluster;
  }

  /** Restarts the timeout: an event has come, or none is expected at present. */
  void progress(Instant now) {
    lastProgress = now;
  }

  /**
   * Checks if waiting makes sense any longer.
   *
   * @param missing the tables with missing events
   * @throws SluiceException.Fatal if the events cannot come any more
   */
  void refuseHopeless(GatheredTransaction transaction, List<String> missing, Instant now) {
    for (String collection : missing) {
      String topic = topics.topicOf(collection);
      List<PartitionQueue> sources = queues.of(topic);
      boolean over = !sources.isEmpty() && sources.stream().allMatch(PartitionQueue::isPast);
      boolean stalled = lastProgress.plus(TIMEOUT).isBefore(now);
      if (!over && !stalled) {
        continue;
      }
      int partitions = cluster.partitions(topic);
      if (partitions > sources.size()) {
        LOG.warn(
            "transaction {} waits for {} events of {}: its topic has {}, of which {} are assigned",
            transaction.xid(),
            transaction.expected(collection) - transaction.seen(collection),
            collection,
            Counted.of(partitions, "partition"),
            sources.size());
        progress(now);
        return;
      }
      if (!over && isUnread(sources)) {
        LOG.warn(
            "transaction {} waits for {} events of {}: its topic has records that the worker does"
                + " not give (a connector that is paused?)",
            transaction.xid(),
            transaction.expected(collection) - transaction.seen(collection),
            collection);
        progress(now);
        return;
      }
      throw Refusals.incomplete(
          transaction,
          collection,
          topic,
          over
              ? "each partition of its topic has gone on to later transactions"
              : "nothing more has come for %d s".formatted(TIMEOUT.toSeconds()));
    }
  }

  private boolean isUnread(List<PartitionQueue> sources) {
    return sources.stream().anyMatch(queue -> cluster.hasRecords(queue.partition(), queue.due()));
  }
}
