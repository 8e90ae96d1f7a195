package dev.sluice.connect.settings;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.settings.KafkaTopics.Extent;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionCheckpoint;
import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.replay.JournalRecords;
import dev.sluice.sink.replay.JournalRereader;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides where reading starts, from the target's checkpoint alone. Stateless. */
public final class StartPoint {
  private static final Logger LOG = LoggerFactory.getLogger(StartPoint.class);

  private StartPoint() {}

  /**
   * The checkpoint to start from, with an offset of the present topic.
   *
   * @param claimed the target's checkpoint
   * @param given for a first start, the position up to which the target has the source's rows
   * @throws SluiceException.Fatal if needed records are missing
   */
  public static Checkpoint of(
      Checkpoint claimed,
      Optional<Position> given,
      Extent extent,
      String topic,
      TopicLayout layout) {
    boolean first = claimed.journalTopicId().isEmpty() && claimed.position().equals(Position.ZERO);
    if (first) {
      Position position = given.orElseThrow(() -> new SluiceException.Fatal(unknownStart()));
      if (layout != TopicLayout.JOURNAL && position.equals(Position.ZERO) && extent.start() > 0) {
        throw new SluiceException.Fatal(
            new Problem(
                "topic " + topic,
                "begins at offset " + extent.start() + ", its first records were deleted",
                "the topic from its beginning, since the target has nothing of it yet",
                "Create it again with retention.ms=-1, and with it the source connector's"
                    + " snapshot"));
      }
      LOG.info("first start: the target holds the source's rows up to {}", position);
      return at(claimed, position, extent.start(), extent);
    }
    boolean sameTopic = claimed.journalTopicId().equals(Optional.of(extent.topicId()));
    if (!sameTopic || claimed.nextOffset() > extent.end()) {
      if (layout != TopicLayout.JOURNAL) {
        throw new SluiceException.Fatal(
            new Problem(
                "topic " + topic,
                "has the id %s and ends at offset %d; the target's checkpoint is at offset %d of %s"
                    .formatted(
                        extent.topicId(),
                        extent.end(),
                        claimed.nextOffset(),
                        claimed.journalTopicId().orElse("no topic")),
                "the topic that was read before",
                "It was re-created. Where it holds all that the target lacks, set this connector's"
                    + " offset by hand (PATCH …/offsets)"));
      }
      LOG.warn(
          "offset {} of topic {} does not fit (log from {} to {}, topic {}): the topic is read from"
              + " its start, and what was applied is dropped by position",
          claimed.nextOffset(),
          claimed.journalTopicId().orElse("-"),
          extent.start(),
          extent.end(),
          extent.topicId());
      return at(claimed, claimed.position(), extent.start(), extent);
    }
    if (claimed.nextOffset() < extent.start()) {
      throw new SluiceException.Fatal(
          new Problem(
              "topic " + topic,
              "begins at offset %d, but the target's checkpoint goes on from %d"
                  .formatted(extent.start(), claimed.nextOffset()),
              "every record from the checkpoint on",
              "Its records were deleted before they were applied. Load the tables again, and begin"
                  + " with another task.name and start.position"));
    }
    return claimed;
  }

  /**
   * Where reading one of several partitions starts.
   *
   * @param known the target's offset of the partition; empty if it has none
   * @param isGiven true if the target's rows were loaded by other means
   * @throws SluiceException.Fatal if needed records are missing
   */
  public static PartitionOffset of(
      Optional<PartitionCheckpoint> known,
      TopicPartition partition,
      Extent extent,
      boolean isGiven) {
    Optional<String> topicId = known.flatMap(PartitionCheckpoint::topicId);
    if (topicId.isEmpty()) {
      if (!isGiven && extent.start() > 0) {
        throw new SluiceException.Fatal(
            new Problem(
                partition.toString(),
                "begins at offset " + extent.start() + ", its first records were deleted",
                "the topic from its beginning, since the target has nothing of it yet",
                "Create it again with retention.ms=-1, and with it the source connector's snapshot."
                    + " Where nothing is missing, set this partition's offset by hand (PATCH"
                    + " …/offsets)"));
      }
      return PartitionOffset.beginning(extent.start());
    }
    PartitionOffset place = known.get().place();
    if (!topicId.get().equals(extent.topicId()) || place.nextOffset() > extent.end()) {
      throw new SluiceException.Fatal(
          new Problem(
              partition.toString(),
              "its topic has the id %s, and it ends at offset %d; the target's checkpoint is at offset %d of %s"
                  .formatted(extent.topicId(), extent.end(), place.nextOffset(), topicId.get()),
              "the topic that was read before",
              "It was re-created. Where it holds all that the target lacks, set this partition's"
                  + " offset by hand (PATCH …/offsets)"));
    }
    if (place.nextOffset() < extent.start()) {
      throw new SluiceException.Fatal(
          new Problem(
              partition.toString(),
              "begins at offset %d, but the target's checkpoint goes on from %d"
                  .formatted(extent.start(), place.nextOffset()),
              "every record from the checkpoint on",
              "Its records were deleted before they were applied. Load the tables again, and begin"
                  + " with another task.name"));
    }
    return place;
  }

  /** The problem of a first start without a start position. */
  static Problem unknownStart() {
    return new Problem(
        SinkConnectorProperties.START_POSITION,
        "is missing, and the target has no checkpoint of this task",
        "the position in the source's log up to which the target holds the source's rows",
        "Give it; 0/0 where the source was empty when the journal began");
  }

  /**
   * Requires that a journal that is read from its beginning still has its first records.
   *
   * @throws SluiceException.Fatal if its first records were deleted
   */
  public static void refuseBeheaded(
      Checkpoint start, Extent extent, Map<String, Object> kafka, String topic) {
    if (start.journalTerm() > 0 || extent.start() == extent.end()) {
      return;
    }
    try (JournalRecords.Reading reading = new JournalRereader(kafka, topic).open(extent.start())) {
      JournalRecord record = JournalRecord.parse(reading.next().value());
      if (!(record instanceof JournalRecord.TermStart)) {
        throw new SluiceException.Fatal(
            new Problem(
                "journal " + topic,
                "its first record, offset %d, is in the midst of term %d"
                    .formatted(extent.start(), record.term()),
                "the journal from its beginning, since the task has applied nothing of it",
                "What another sink has applied was deleted from it. Read a journal from its"
                    + " beginning"));
      }
    }
  }

  private static Checkpoint at(Checkpoint claimed, Position position, long offset, Extent extent) {
    return claimed.setTo(
        new JournalOffset(position, claimed.journalTerm(), claimed.journalTransaction(), offset),
        Optional.of(extent.topicId()));
  }
}
