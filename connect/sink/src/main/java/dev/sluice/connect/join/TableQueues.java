package dev.sluice.connect.join;

import dev.sluice.connect.envelope.DebeziumRecord.SnapshotRow;
import dev.sluice.sink.control.position.PartitionOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The queues of all partitions of the tables' topics, with their memory use. Owned by the task's
 * thread.
 */
final class TableQueues {
  private final long mostBytes;
  private final Map<TopicPartition, PartitionQueue> queues = new LinkedHashMap<>();
  private final Map<String, List<PartitionQueue>> byTopic = new HashMap<>();
  private final Set<PartitionQueue> moved = new HashSet<>();
  private boolean full;

  /**
   * @param places the offsets from which the partitions are read
   * @param mostBytes approximate limit of the bytes in all queues
   */
  TableQueues(Map<TopicPartition, PartitionOffset> places, long mostBytes) {
    this.mostBytes = mostBytes;
    places.forEach(
        (partition, place) -> {
          PartitionQueue queue = new PartitionQueue(partition, place);
          queues.put(partition, queue);
          byTopic.computeIfAbsent(partition.topic(), topic -> new ArrayList<>()).add(queue);
        });
  }

  PartitionQueue of(TopicPartition partition) {
    return queues.get(partition);
  }

  List<PartitionQueue> of(String topic) {
    return byTopic.getOrDefault(topic, List.of());
  }

  Set<TopicPartition> partitions() {
    return queues.keySet();
  }

  /** Records that the offset of a partition may have changed. */
  void move(PartitionQueue queue) {
    moved.add(queue);
  }

  /** The offsets for the next start, of the partitions that moved since the last call. */
  Map<TopicPartition, PartitionOffset> takeMoved() {
    Map<TopicPartition, PartitionOffset> places = new HashMap<>();
    moved.forEach(queue -> places.put(queue.partition(), queue.place()));
    moved.clear();
    return places;
  }

  /** Removes the next snapshot row that is due. */
  Optional<SnapshotRow> takeSnapshotRow() {
    for (PartitionQueue queue : queues.values()) {
      if (queue.head() != null
          && queue.head().record() instanceof SnapshotRow row
          && !queue.isGathered()) {
        queue.remove();
        move(queue);
        return Optional.of(row);
      }
    }
    return Optional.empty();
  }

  /** True if the limit was reached and more than half of it is still used. */
  boolean isFull() {
    long bytes = queues.values().stream().mapToLong(PartitionQueue::bytes).sum();
    full = bytes > (full ? mostBytes / 2 : mostBytes);
    return full;
  }
}
