package dev.sluice.connect.start;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Detects records that were deleted before they were read, and logs that were truncated or
 * re-created. The consumer silently continues elsewhere (auto.offset.reset) and may skip complete
 * transactions. Owned by the task's thread.
 */
final class DeletedRecords {
  /*
   * Reads where logs start, at each gap between two polls. A gap alone proves nothing: the ends of
   * Kafka's own transactions also take offsets.
   */
  private final Function<Set<TopicPartition>, Map<TopicPartition, Long>> starts;
  private final Map<TopicPartition, Long> due;

  /**
   * @param due the offsets of the first expected records
   * @param starts asks Kafka for the start offsets of partitions
   */
  DeletedRecords(
      Map<TopicPartition, Long> due,
      Function<Set<TopicPartition>, Map<TopicPartition, Long>> starts) {
    this.due = new HashMap<>(due);
    this.starts = starts;
  }

  /**
   * Checks the records of a poll.
   *
   * @throws SluiceException.Fatal if records before them were deleted, or the log went back
   * @throws SluiceException.Retryable if Kafka does not respond
   */
  void check(Collection<SinkRecord> records) {
    Map<TopicPartition, Long> gaps = new HashMap<>();
    Map<TopicPartition, Long> next = new HashMap<>();
    for (SinkRecord record : records) {
      TopicPartition partition =
          new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
      long offset = record.originalKafkaOffset();
      if (next.put(partition, offset + 1) == null) {
        long expected = due.getOrDefault(partition, offset);
        if (offset > expected) {
          gaps.put(partition, expected);
        } else if (offset < expected) {
          throw wentBack(partition, offset, expected);
        }
      }
    }
    if (!gaps.isEmpty()) {
      starts.apply(gaps.keySet()).forEach((partition, start) -> refuse(partition, start, gaps));
    }
    next.forEach((partition, offset) -> due.merge(partition, offset, Math::max));
  }

  private static SluiceException.Fatal wentBack(
      TopicPartition partition, long offset, long expected) {
    return new SluiceException.Fatal(
        new Problem(
            partition.toString(),
            "goes back to offset %d, although all records before %d were read"
                .formatted(offset, expected),
            "a log that only grows",
            "It was cut (an unclean election of its leader), or its topic was re-created: what was"
                + " read may not be what it has. Compare source and target, and where rows are"
                + " missing load the tables again"));
  }

  private static void refuse(
      TopicPartition partition, long start, Map<TopicPartition, Long> expected) {
    if (start > expected.get(partition)) {
      throw new SluiceException.Fatal(
          new Problem(
              partition.toString(),
              "now begins at offset %d, but %d is the next offset to be read"
                  .formatted(start, expected.get(partition)),
              "every record until it is applied",
              "Records were deleted before they were read: set retention.ms=-1, and load the tables"
                  + " again"));
    }
  }
}
