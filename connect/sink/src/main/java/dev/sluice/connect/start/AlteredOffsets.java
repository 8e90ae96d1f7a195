package dev.sluice.connect.start;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.settings.ConnectorSettings;
import dev.sluice.connect.settings.KafkaTopics;
import dev.sluice.connect.settings.KafkaTopics.Extent;
import dev.sluice.connect.settings.TopicLayout;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.JournalRecord.Frame;
import dev.sluice.connector.api.JournalRecord.Piece;
import dev.sluice.connector.api.JournalRecord.TermStart;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionCheckpoint;
import dev.sluice.sink.control.position.PartitionCheckpoints;
import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.replay.JournalRecords;
import dev.sluice.sink.replay.JournalRereader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes offsets that a user has set by hand to the target's checkpoint. Used once. */
public final class AlteredOffsets {
  private static final Logger LOG = LoggerFactory.getLogger(AlteredOffsets.class);

  private final ConnectorSettings settings;
  private final CheckpointStore checkpoints;

  public AlteredOffsets(ConnectorSettings settings) {
    this.settings = settings;
    this.checkpoints = new CheckpointStore(settings.targetServer(), settings.controlSchema());
  }

  /**
   * Moves the checkpoint. A second call with the same offsets changes nothing.
   *
   * @param offsets offset of the next record to be applied, by partition; null deletes the
   *     checkpoint
   * @throws SluiceException.Fatal if reading cannot start at an offset
   */
  public void alter(Map<TopicPartition, Long> offsets) {
    if (offsets.values().stream().allMatch(Objects::isNull) && areAll(offsets.keySet())) {
      checkpoints.drop(settings.task().text());
      LOG.info("the checkpoint of {} is deleted, its next start is a first start", settings.task());
      return;
    }
    for (Map.Entry<TopicPartition, Long> entry : offsets.entrySet()) {
      check(entry.getKey());
      if (!settings.layout().isOneTopic()) {
        movePartition(entry.getKey(), entry.getValue());
      } else if (entry.getValue() == null) {
        checkpoints.drop(settings.task().text());
      } else {
        move(entry.getKey(), entry.getValue());
      }
    }
  }

  /** True if the target has offsets of no other partition that is read. */
  private boolean areAll(Set<TopicPartition> named) {
    return settings.layout().isOneTopic()
        || partitions().read(settings.task().text()).keySet().stream()
            .filter(known -> settings.input().reads(known.topic()))
            .allMatch(known -> named.isEmpty() || named.contains(known));
  }

  private PartitionCheckpoints partitions() {
    return new PartitionCheckpoints(settings.targetServer(), settings.controlSchema());
  }

  private void check(TopicPartition partition) {
    boolean isRead =
        settings.input().reads(partition.topic())
            && (partition.partition() == 0 || !settings.layout().isOneTopic());
    if (!isRead) {
      throw new SluiceException.Fatal(
          new Problem(
              partition.toString(),
              "is not read by this connector",
              settings.layout().isOneTopic()
                  ? "partition 0 of " + settings.input().topics()
                  : "a partition of its topics",
              "Give the offset of that partition"));
    }
  }

  /**
   * Moves a partition's offset. The user decides what was applied before: no record is dropped by
   * its position any more.
   */
  private void movePartition(TopicPartition partition, Long offset) {
    Optional<Extent> extent =
        offset == null ? Optional.empty() : Optional.of(extentWith(offset, partition));
    checkpoints.create();
    PartitionCheckpoints partitions = partitions();
    String task = settings.task().text();
    PartitionCheckpoint row =
        new PartitionCheckpoint(partition, 0, PartitionOffset.beginning(0), Optional.empty());
    if (settings.layout() == TopicLayout.TABLES) {
      row = partitions.claim(task, List.of(partition), Duration.ZERO).get(partition);
    } else {
      // A running task can write nothing more.
      Checkpoint claimed = checkpoints.claim(task);
      if (settings.input().transactionTopic().filter(partition.topic()::equals).isPresent()) {
        checkpoints.write(fromBeginning(claimed, extent.map(Extent::topicId)));
      }
    }
    if (offset == null) {
      partitions.forget(task, partition);
      LOG.info("{} of {} is deleted, its next start is a first start", partition, task);
      return;
    }
    partitions.write(
        task, List.of(row.at(PartitionOffset.beginning(offset), extent.get().topicId())));
    LOG.info("{} of {} continues from offset {}", partition, task, offset);
  }

  /** The checkpoint with which every transaction that comes is applied. */
  private static Checkpoint fromBeginning(Checkpoint claimed, Optional<String> topicId) {
    return claimed.setTo(
        new JournalOffset(
            Position.ZERO,
            claimed.journalTerm(),
            claimed.journalTransaction(),
            claimed.nextOffset()),
        topicId);
  }

  private Extent extentWith(long offset, TopicPartition partition) {
    try (KafkaTopics topics = new KafkaTopics(settings.kafka())) {
      Extent extent = topics.extent(partition);
      if (offset < extent.start() || offset > extent.end()) {
        throw notThere(partition, offset, extent);
      }
      return extent;
    }
  }

  private void move(TopicPartition partition, long offset) {
    Extent extent = extentWith(offset, partition);
    JournalOffset place =
        settings.layout() == TopicLayout.JOURNAL
            ? placeBefore(partition, offset, extent)
            // The user decides what was applied before: no transaction is dropped by its position.
            : new JournalOffset(Position.ZERO, 0, 0, offset);
    checkpoints.create();
    Checkpoint claimed = checkpoints.claim(settings.task().text());
    checkpoints.write(claimed.setTo(place, Optional.of(extent.topicId())));
    LOG.info(
        "the checkpoint of {} goes from offset {} to {}, position {} to {}",
        settings.task(),
        claimed.nextOffset(),
        offset,
        claimed.position(),
        place.position());
  }

  /** What counts as applied if reading starts at the offset. */
  private JournalOffset placeBefore(TopicPartition partition, long offset, Extent extent) {
    try (JournalRecords.Reading reading =
        new JournalRereader(settings.kafka(), partition.topic())
            .open(Math.max(extent.start(), offset - 1))) {
      if (offset > extent.start()) {
        JournalRecord before = JournalRecord.parse(reading.next().value());
        if (before instanceof Frame frame && frame.end() != null) {
          return new JournalOffset(
              frame.end().position(), frame.term(), frame.transaction(), offset);
        }
        if (!(before instanceof TermStart)) {
          throw inside(partition, offset);
        }
      }
      if (offset == extent.end()) {
        throw notThere(partition, offset, extent);
      }
      JournalRecord first = JournalRecord.parse(reading.next().value());
      if (first instanceof TermStart start) {
        return new JournalOffset(start.position(), 0, 0, offset);
      }
      // If nothing before is known, everything from here on is applied.
      if (first instanceof Frame frame && frame.firstOrdinal() == 1) {
        return new JournalOffset(Position.ZERO, frame.term(), frame.transaction() - 1, offset);
      }
      if (first instanceof Piece piece && piece.ordinal() == 1 && piece.piece() == 0) {
        return new JournalOffset(Position.ZERO, piece.term(), piece.transaction() - 1, offset);
      }
      throw inside(partition, offset);
    }
  }

  private static SluiceException.Fatal notThere(
      TopicPartition partition, long offset, Extent extent) {
    return new SluiceException.Fatal(
        new Problem(
            "offset " + offset + " of " + partition,
            "is not in the topic",
            "one from %d to %d".formatted(extent.start(), extent.end()),
            "Give one of these"));
  }

  private static SluiceException.Fatal inside(TopicPartition partition, long offset) {
    return new SluiceException.Fatal(
        new Problem(
            "offset " + offset + " of " + partition,
            "is inside a transaction",
            "the first record of a transaction",
            "Give an offset before or after it"));
  }
}
