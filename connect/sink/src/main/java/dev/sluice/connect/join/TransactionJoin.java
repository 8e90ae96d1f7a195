package dev.sluice.connect.join;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.connect.envelope.DebeziumRecord.End;
import dev.sluice.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.connect.envelope.DebeziumRecord.Truncated;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionOffset;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;

/**
 * Joins the transactions of a Debezium source whose tables have a topic each. The transaction topic
 * gives their order and their numbers of events. Owned by the task's thread.
 */
public final class TransactionJoin {
  /*
   * The ends are in commit order, and so are the events of each partition. So the events of the
   * oldest transaction that is not applied yet are the first ones of each partition, except for
   * repetitions: Debezium delivers at least once, and restarts from an earlier position.
   *
   * The commit before an event's transaction (source.sequence) shows where the event belongs. If it
   * is before the commit of the last handled transaction, the event is a repetition; otherwise it
   * belongs to a later transaction. An event between the last handled transaction and the oldest
   * waiting one has lost its end. If any of this were wrong, the counts would not match, and
   * nothing would be applied.
   *
   * A partition from which the oldest transaction needs events is never paused, nor is the
   * transaction topic while no end waits; so the needed events can always come.
   */
  private final TopicPartition transactionTopic;
  private final CollectionTopics topics;
  private final SpillFiles files;

  /** Transactions up to this position are on the target: they are neither read nor counted. */
  private final Position onTarget;

  private final TableQueues queues;
  private final TransactionEnds ends;

  private final HandledTransactions handled;
  private final MissingEvents missing;

  private GatheredTransaction oldest;

  /**
   * The partitions that are read, and their start offsets.
   *
   * @param onTarget transactions up to that position are on the target
   * @param transactionTopic the only partition of the topic of begins and ends
   * @param transactions the offset from which it is read, and the last end that was handled before
   * @param tables the partitions of the tables' topics and their start offsets. A partition that
   *     was added later also has the target's position at that time, until a transaction has had an
   *     event of it
   */
  public record Start(
      Position onTarget,
      TopicPartition transactionTopic,
      PartitionOffset transactions,
      Map<TopicPartition, PartitionOffset> tables) {}

  /**
   * @param isSubscribed true for topics of the connector
   * @param queueBytes approximate limit of the bytes that wait in memory
   */
  public TransactionJoin(
      Start start,
      Predicate<String> isSubscribed,
      JoinRequests cluster,
      SpillFiles files,
      long queueBytes) {
    this.transactionTopic = start.transactionTopic();
    this.topics = new CollectionTopics(transactionTopic.topic(), isSubscribed, cluster);
    this.files = files;
    this.onTarget = start.onTarget();
    this.queues = new TableQueues(start.tables(), queueBytes);
    PartitionOffset transactions = start.transactions();
    this.ends =
        new TransactionEnds(transactionTopic, transactions.nextOffset(), transactions.commit());
    this.handled = new HandledTransactions(transactions.commit());
    this.missing = new MissingEvents(topics, queues, cluster);
  }

  /** True if a record was read before and is to be skipped. */
  public boolean hasRead(TopicPartition partition, long offset) {
    if (partition.equals(transactionTopic)) {
      return ends.hasRead(offset);
    }
    PartitionQueue queue = queues.of(partition);
    queues.move(queue);
    return queue.hasRead(offset);
  }

  /**
   * Takes the next record of a partition.
   *
   * @throws SluiceException.Fatal if it shows that records were lost, or that topics do not have
   *     Debezium's names
   */
  public void take(DebeziumRecord record, TopicPartition partition, long offset, Instant now) {
    if (partition.equals(transactionTopic)) {
      ends.take(record, offset);
    } else if (record instanceof Begin || record instanceof End) {
      throw Refusals.misplaced(partition, offset, "a begin or an end", transactionTopic.topic());
    } else if (record instanceof RowEvent event) {
      add(partition, ReadEvent.of(event, offset), now);
    } else if (record instanceof Truncated event) {
      add(partition, ReadEvent.of(event, offset), now);
    } else if (record instanceof SnapshotRow row) {
      add(partition, ReadEvent.of(row, offset), now);
    }
  }

  /** The next snapshot row that is due. */
  public Optional<SnapshotRow> nextSnapshotRow() {
    return queues.takeSnapshotRow();
  }

  /**
   * The next transaction if it is complete; its events then count as returned. The previous one
   * must be closed.
   *
   * @param reading true if records can come; while reading is paused, no event counts as missing
   * @throws SluiceException.Fatal if it can never become complete
   */
  public Optional<CompletedTransaction> next(boolean reading, Instant now) {
    if (oldest == null && !openOldest(now)) {
      return Optional.empty();
    }
    gather(now);
    if (oldest.overfull() != null) {
      throw Refusals.incomplete(
          oldest,
          oldest.overfull(),
          topics.topicOf(oldest.overfull()),
          "more events came than its end counts");
    }
    List<String> incomplete = oldest.incomplete();
    if (!incomplete.isEmpty()) {
      if (reading) {
        missing.refuseHopeless(oldest, incomplete, now);
      } else {
        missing.progress(now);
      }
      return Optional.empty();
    }
    GatheredTransaction whole = oldest;
    whole.counts().keySet().forEach(table -> queuesOf(table).forEach(PartitionQueue::given));
    ends.removeFirst();
    handled.add(whole.xid(), whole.position());
    oldest = null;
    return Optional.of(whole);
  }

  /**
   * The offsets for the next start, as in {@link Start}, of the partitions whose offset has changed
   * since the last call. From there everything comes again that was not returned yet, and each
   * begin without an end.
   */
  public Map<TopicPartition, PartitionOffset> movedPlaces() {
    Map<TopicPartition, PartitionOffset> places = queues.takeMoved();
    places.put(transactionTopic, new PartitionOffset(ends.neededOffset(), handled.last(), 0));
    return places;
  }

  /** The partitions to pause because too much waits already. */
  public Set<TopicPartition> unwanted() {
    Set<TopicPartition> unwanted = new HashSet<>();
    if (queues.isFull()) {
      unwanted.addAll(queues.partitions());
      if (oldest != null) {
        oldest.incomplete().stream()
            .flatMap(collection -> queuesOf(collection).stream())
            .filter(queue -> queue.head() == null)
            .forEach(queue -> unwanted.remove(queue.partition()));
      }
    }
    if (ends.isFull()) {
      unwanted.add(transactionTopic);
    }
    return unwanted;
  }

  /** Discards the gathered events. */
  public void close() {
    if (oldest != null) {
      oldest.close();
      oldest = null;
    }
  }

  private void add(TopicPartition partition, ReadEvent event, Instant now) {
    Membership membership = event.membership();
    if (membership != null) {
      topics.check(membership.collection(), partition.topic());
    } else if (!(event.record() instanceof SnapshotRow)) {
      throw Refusals.withoutTransaction(partition, event.offset());
    }
    queues.of(partition).add(event);
    if (oldest != null
        && membership != null
        && oldest.counts().containsKey(membership.collection())) {
      missing.progress(now);
    }
  }

  private boolean openOldest(Instant now) {
    for (End end = ends.first(); end != null; end = ends.first()) {
      if (end.position().isAfter(onTarget)) {
        oldest = new GatheredTransaction(end, expectedOf(end), files);
        missing.progress(now);
        return true;
      }
      ends.removeFirst();
      handled.add(end.xid(), end.position());
    }
    return false;
  }

  private Map<String, Long> expectedOf(End end) {
    Map<String, Long> expected = new HashMap<>();
    end.counts()
        .forEach(
            (collection, count) -> {
              // Debezium counts logical messages under a name of its own.
              if (count > 0
                  && !collection.contains("LogicalDecodingMessageId")
                  && topics.isRead(collection)) {
                expected.merge(collection, count, Long::sum);
              }
            });
    return expected;
  }

  private void gather(Instant now) {
    for (String collection : oldest.counts().keySet()) {
      for (PartitionQueue queue : queuesOf(collection)) {
        gather(queue, now);
      }
    }
  }

  private void gather(PartitionQueue queue, Instant now) {
    queues.move(queue);
    while (queue.head() != null && !(queue.head().record() instanceof SnapshotRow)) {
      Membership membership = queue.head().membership();
      if (handled.has(queue.head(), ends)) {
        if (queue.isNew()) {
          throw Refusals.lateTable(queue);
        }
        queue.remove();
      } else if (membership.xid().equals(oldest.xid())) {
        oldest.take(queue.partition(), queue.gather());
        missing.progress(now);
      } else if (!membership.previous().equals(Position.ZERO)
          && oldest.position().isAfter(membership.previous())) {
        throw Refusals.endless(queue, transactionTopic.topic(), oldest);
      } else {
        return;
      }
    }
  }

  private List<PartitionQueue> queuesOf(String collection) {
    return queues.of(topics.topicOf(collection));
  }
}
