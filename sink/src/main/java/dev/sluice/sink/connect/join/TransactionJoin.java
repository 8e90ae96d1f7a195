package dev.sluice.sink.connect.join;

import dev.sluice.config.Counted;
import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.connect.envelope.DebeziumRecord;
import dev.sluice.sink.connect.envelope.DebeziumRecord.Begin;
import dev.sluice.sink.connect.envelope.DebeziumRecord.End;
import dev.sluice.sink.connect.envelope.DebeziumRecord.Membership;
import dev.sluice.sink.connect.envelope.DebeziumRecord.RowEvent;
import dev.sluice.sink.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.sink.connect.envelope.DebeziumRecord.Truncated;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the transactions of a Debezium source together whose tables have topics of their own: the
 * transaction topic tells their order and what they consist of. Owned by the task's thread.
 */
public final class TransactionJoin {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionJoin.class);

  /** How long an event may be behind its transaction's end. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Ends that wait, at the most; the topic is not needed as long as one does. */
  private static final int ENDS = 20_000;

  private static final int XIDS_KEPT = 1_000;

  /*
   * The ends are in commit order, and so are the events of each partition. So the events of the
   * oldest transaction that is not applied yet are the first ones of each partition, but for
   * repetitions: Debezium delivers at least once, and begins again at an earlier place.
   *
   * Where an event belongs is told by the commit before its own transaction (source.sequence). Of
   * transactions up to the last one handled that is before that one's own commit: a repetition. Of
   * later ones it is not. What lies between the last one and the oldest that waits has lost its end.
   * If any of this were wrong, the counts would not be met, and nothing would be applied.
   *
   * No partition that the oldest transaction needs more of is ever paused, nor is the transaction
   * topic while no end is waiting; so the events that are waited for can always come.
   */
  private final TopicPartition transactionTopic;
  private final CollectionTopics topics;
  private final Cluster cluster;
  private final SpillFiles files;
  private final long queueBytes;

  /** Up to here the target has it: neither read nor counted. */
  private final Position onTarget;

  private final Map<TopicPartition, PartitionQueue> queues = new LinkedHashMap<>();
  private final Map<String, List<PartitionQueue>> byTopic = new HashMap<>();
  private final Set<PartitionQueue> moved = new HashSet<>();

  /** Not handled yet; the first one is that of the oldest transaction. */
  private final ArrayDeque<WaitingEnd> ends = new ArrayDeque<>();

  private long due;

  /** The last end that was read. */
  private Position lastRead;

  /** The last end that was handled: its transaction was given out, or is on the target anyway. */
  private Position last;

  /** The transaction that has begun and not ended, and the first one that broke off so. */
  private Begun begun;

  private Begun torn;

  /** Of the transactions handled last, for events that do not tell the commit before them. */
  private final Set<String> handled = new LinkedHashSet<>();

  private GatheredTransaction oldest;
  private Instant lastProgress = Instant.MIN;
  private boolean full;

  /**
   * What is read, and from where.
   *
   * @param onTarget transactions up to that position are on the target
   * @param last of the last end that was handled before; zero where none was
   * @param transactionTopic the only partition of the topic of begins and ends
   * @param transactionOffset from where it is read
   * @param tables the partitions of the tables' topics, and from where they are read
   * @param fresh those of which nothing was ever applied, though the task has begun before
   */
  public record Start(
      Position onTarget,
      Position last,
      TopicPartition transactionTopic,
      long transactionOffset,
      Map<TopicPartition, Long> tables,
      Set<TopicPartition> fresh) {}

  private record WaitingEnd(End end, long offset) {}

  private record Begun(String xid, long offset) {}

  /**
   * @param isSubscribed whether a topic is one of the connector's
   * @param queueBytes what may wait in memory, about
   */
  public TransactionJoin(
      Start start,
      Predicate<String> isSubscribed,
      Cluster cluster,
      SpillFiles files,
      long queueBytes) {
    this.transactionTopic = start.transactionTopic();
    this.topics = new CollectionTopics(transactionTopic.topic(), isSubscribed, cluster);
    this.cluster = cluster;
    this.files = files;
    this.queueBytes = queueBytes;
    this.onTarget = start.onTarget();
    this.lastRead = start.last();
    this.last = start.last();
    this.due = start.transactionOffset();
    start
        .tables()
        .forEach(
            (partition, offset) -> {
              PartitionQueue queue =
                  new PartitionQueue(partition, offset, start.fresh().contains(partition));
              queues.put(partition, queue);
              byTopic.computeIfAbsent(partition.topic(), topic -> new ArrayList<>()).add(queue);
            });
  }

  /** Whether a record comes that was read before, and is to be passed over. */
  public boolean hasRead(TopicPartition partition, long offset) {
    if (!partition.equals(transactionTopic)) {
      PartitionQueue queue = queues.get(partition);
      moved.add(queue);
      return queue.hasRead(offset);
    }
    if (offset < due) {
      return true;
    }
    due = offset + 1;
    return false;
  }

  /**
   * Takes the next record of a partition.
   *
   * @throws SluiceException.Fatal where it shows that others were lost, or that topics have other
   *     names than Debezium gives
   */
  public void take(DebeziumRecord record, TopicPartition partition, long offset, Instant now) {
    if (partition.equals(transactionTopic)) {
      takeBoundary(record, offset);
    } else if (record instanceof Begin || record instanceof End) {
      throw misplaced(partition, offset, "a begin or an end", transactionTopic.topic());
    } else if (record instanceof RowEvent event) {
      add(partition, ReadEvent.of(event, offset), now);
    } else if (record instanceof Truncated event) {
      add(partition, ReadEvent.of(event, offset), now);
    } else if (record instanceof SnapshotRow row) {
      add(partition, ReadEvent.of(row, offset), now);
    }
  }

  /** The next row of a snapshot whose turn it is. */
  public Optional<SnapshotRow> nextSnapshotRow() {
    for (PartitionQueue queue : queues.values()) {
      if (queue.head() != null
          && queue.head().record() instanceof SnapshotRow row
          && !queue.isGathered()) {
        queue.remove();
        queue.takenUp();
        moved.add(queue);
        return Optional.of(row);
      }
    }
    return Optional.empty();
  }

  /**
   * The next transaction, where it is whole; the one before it is closed by then. Its events count
   * as given out.
   *
   * @param reading whether records can come: nothing is missed while others pause the reading
   * @throws SluiceException.Fatal where it can never become whole
   */
  public Optional<JoinedTransaction> next(boolean reading, Instant now) {
    while (true) {
      if (oldest == null && !openOldest(now)) {
        return Optional.empty();
      }
      gather(now);
      if (oldest.overfull() != null) {
        throw incomplete(oldest.overfull(), "more events came than its end counts");
      }
      List<String> missing = oldest.incomplete();
      if (missing.isEmpty()) {
        GatheredTransaction whole = oldest;
        whole.counts().keySet().forEach(table -> queuesOf(table).forEach(PartitionQueue::given));
        ends.removeFirst();
        handled(whole.xid(), whole.position());
        oldest = null;
        return Optional.of(whole);
      }
      refuseHopeless(missing, reading, now);
      return Optional.empty();
    }
  }

  /** The last end that was handled, for the next start. */
  public Position last() {
    return last;
  }

  /**
   * Where reading is to begin again, so that all comes that was not given out yet, and each begin
   * whose end has not come: of the partitions in which that has changed since the last call.
   */
  public Map<TopicPartition, Long> movedOffsets() {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    moved.forEach(queue -> offsets.put(queue.partition(), queue.nextOffset()));
    moved.clear();
    long needed = ends.isEmpty() ? due : ends.peekFirst().offset();
    needed = begun == null ? needed : Math.min(needed, begun.offset());
    needed = torn == null ? needed : Math.min(needed, torn.offset());
    offsets.put(transactionTopic, needed);
    return offsets;
  }

  /** What is to be paused, since too much waits already. */
  public Set<TopicPartition> unwanted() {
    long bytes = queues.values().stream().mapToLong(PartitionQueue::bytes).sum();
    full = bytes > (full ? queueBytes / 2 : queueBytes);
    Set<TopicPartition> unwanted = new HashSet<>();
    if (full) {
      unwanted.addAll(queues.keySet());
      if (oldest != null) {
        oldest.incomplete().stream()
            .flatMap(collection -> queuesOf(collection).stream())
            .filter(queue -> queue.head() == null)
            .forEach(queue -> unwanted.remove(queue.partition()));
      }
    }
    if (ends.size() > ENDS) {
      unwanted.add(transactionTopic);
    }
    return unwanted;
  }

  private void takeBoundary(DebeziumRecord record, long offset) {
    if (record instanceof Begin begin) {
      leave(begin.xid());
      begun = new Begun(begin.xid(), offset);
    } else if (record instanceof End end) {
      takeEnd(end, offset);
    } else if (record instanceof RowEvent
        || record instanceof Truncated
        || record instanceof SnapshotRow) {
      throw misplaced(transactionTopic, offset, "an event of a table", "a topic of the table");
    }
  }

  private void takeEnd(End end, long offset) {
    boolean isNew = end.position().isAfter(lastRead);
    leave(end.xid());
    begun = null;
    if (torn != null && torn.xid().equals(end.xid())) {
      torn = null;
    }
    if (!isNew) {
      return;
    }
    if (torn != null) {
      throw new SluiceException.Fatal(
          new Problem(
              "%s, offset %d".formatted(transactionTopic, offset),
              "transaction %s ends at %s, but transaction %s, which broke off before, has not come again"
                  .formatted(end.xid(), end.position(), torn.xid()),
              "transactions in the order of their commits",
              "Ends were lost between Debezium and this topic: load the tables again"));
    }
    lastRead = end.position();
    ends.addLast(new WaitingEnd(end, offset));
  }

  /** Another transaction follows: one that has begun and not ended broke off. */
  private void leave(String next) {
    if (begun != null && !begun.xid().equals(next) && torn == null) {
      torn = begun;
    }
  }

  private void add(TopicPartition partition, ReadEvent event, Instant now) {
    PartitionQueue queue = queues.get(partition);
    Membership membership = event.membership();
    if (membership != null) {
      topics.check(membership.collection(), partition.topic());
    } else if (!(event.record() instanceof SnapshotRow)) {
      throw new SluiceException.Fatal(
          new Problem(
              "%s, offset %d".formatted(partition, event.offset()),
              "an event without its transaction",
              "events with their transaction, and its end",
              "Set provide.transaction.metadata=true on the source connector"));
    }
    queue.add(event);
    if (oldest != null
        && membership != null
        && oldest.counts().containsKey(membership.collection())) {
      lastProgress = now;
    }
  }

  private boolean openOldest(Instant now) {
    while (!ends.isEmpty()) {
      End end = ends.peekFirst().end();
      if (!end.position().isAfter(onTarget)) {
        ends.removeFirst();
        handled(end.xid(), end.position());
        continue;
      }
      Map<String, Long> expected = new HashMap<>();
      end.counts()
          .forEach(
              (collection, count) -> {
                // Debezium counts logical messages under a name of its own making.
                if (count > 0
                    && !collection.contains("LogicalDecodingMessageId")
                    && topics.isRead(collection)) {
                  expected.merge(collection, count, Long::sum);
                }
              });
      oldest = new GatheredTransaction(end, expected, files);
      lastProgress = now;
      return true;
    }
    return false;
  }

  private void handled(String xid, Position position) {
    last = position;
    handled.remove(xid);
    handled.add(xid);
    if (handled.size() > XIDS_KEPT) {
      handled.remove(handled.iterator().next());
    }
  }

  private void gather(Instant now) {
    for (String collection : oldest.counts().keySet()) {
      for (PartitionQueue queue : queuesOf(collection)) {
        gather(queue, now);
      }
    }
  }

  private void gather(PartitionQueue queue, Instant now) {
    moved.add(queue);
    while (queue.head() != null && !(queue.head().record() instanceof SnapshotRow)) {
      Membership membership = queue.head().membership();
      if (isRepeated(queue.head())) {
        refuseNew(queue);
        queue.remove();
      } else if (membership.xid().equals(oldest.xid())) {
        oldest.take(queue.partition(), queue.gather());
        lastProgress = now;
      } else if (!membership.previous().equals(Position.ZERO)
          && oldest.position().isAfter(membership.previous())) {
        throw endless(queue);
      } else {
        return;
      }
    }
  }

  private boolean isRepeated(ReadEvent event) {
    Membership membership = event.membership();
    if (!membership.previous().equals(Position.ZERO)) {
      return last.isAfter(membership.previous());
    }
    // The source's first transaction: its events are before its own commit.
    boolean isWaiting =
        ends.stream().anyMatch(waiting -> waiting.end().xid().equals(membership.xid()));
    return handled.contains(membership.xid())
        || !isWaiting && !new Position(event.lsn()).isAfter(last);
  }

  private List<PartitionQueue> queuesOf(String collection) {
    return byTopic.getOrDefault(topics.topicOf(collection), List.of());
  }

  /** What was never read is no repetition: the table was taken in later than the others. */
  private void refuseNew(PartitionQueue queue) {
    if (queue.isNew()) {
      throw new SluiceException.Fatal(
          new Problem(
              "%s, offset %d".formatted(queue.partition(), queue.head().offset()),
              "an event of transaction %s, which was applied without this table"
                  .formatted(queue.head().membership().xid()),
              "a table from its first change on",
              "A table that is added later needs its rows: add it under another task.name, whose"
                  + " source connector begins with a snapshot of it"));
    }
  }

  private SluiceException.Fatal endless(PartitionQueue queue) {
    return new SluiceException.Fatal(
        new Problem(
            "%s, offset %d".formatted(queue.partition(), queue.head().offset()),
            "an event of transaction %s, which has no end before that of transaction %s at %s"
                .formatted(queue.head().membership().xid(), oldest.xid(), oldest.position()),
            "the ends of all transactions in " + transactionTopic.topic(),
            "Ends are missing from that topic: load the tables again"));
  }

  private void refuseHopeless(List<String> missing, boolean reading, Instant now) {
    if (!reading) {
      lastProgress = now;
      return;
    }
    for (String collection : missing) {
      List<PartitionQueue> sources = queuesOf(collection);
      boolean over = !sources.isEmpty() && sources.stream().allMatch(q -> isPast(q.head()));
      boolean stalled = lastProgress.plus(PATIENCE).isBefore(now);
      if (!over && !stalled) {
        continue;
      }
      int partitions = cluster.partitions(topics.topicOf(collection));
      if (partitions > sources.size()) {
        LOG.warn(
            "transaction {} waits for {} events of {}: its topic has {}, of which {} are assigned",
            oldest.xid(),
            oldest.expected(collection) - oldest.seen(collection),
            collection,
            Counted.of(partitions, "partition"),
            sources.size());
        lastProgress = now;
        return;
      }
      throw incomplete(
          collection,
          over
              ? "each partition of its topic has gone on to later transactions"
              : "nothing more has come for %d s".formatted(PATIENCE.toSeconds()));
    }
  }

  /** The oldest transaction's events come before it. */
  private static boolean isPast(ReadEvent head) {
    return head != null && !(head.record() instanceof SnapshotRow);
  }

  private SluiceException.Fatal incomplete(String collection, String why) {
    return new SluiceException.Fatal(
        new Problem(
            "transaction %s, which ends at %s".formatted(oldest.xid(), oldest.position()),
            "%d events of %s; %s".formatted(oldest.seen(collection), collection, why),
            "%d events of %s".formatted(oldest.expected(collection), collection),
            "Nothing of it was applied. Events are missing from the topic "
                + topics.topicOf(collection)
                + " (retention, compaction, a filter): load the tables again"));
  }

  private static SluiceException.Fatal misplaced(
      TopicPartition partition, long offset, String met, String expected) {
    return new SluiceException.Fatal(
        new Problem(
            "%s, offset %d".formatted(partition, offset),
            met,
            "this in " + expected,
            "Leave Debezium's routing as it is, and name its transaction topic in transaction.topic"));
  }

  /** Gives up what was gathered. */
  public void close() {
    if (oldest != null) {
      oldest.close();
      oldest = null;
    }
  }
}
