package dev.sluice.connect.input;

import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.position.PartitionOffsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * Keeps the partitions' offsets after each transaction that was passed to the pipeline, until it is
 * durable. Threadsafe: the task's thread writes, the apply thread reads.
 */
public final class PartitionOffsetLog implements PartitionOffsets {
  // Under the lock of this.
  private final Map<TopicPartition, PartitionOffset> durable;
  private final TreeMap<Long, Map<TopicPartition, PartitionOffset>> moves = new TreeMap<>();

  /**
   * @param start the offsets in the target's checkpoint
   */
  public PartitionOffsetLog(Map<TopicPartition, PartitionOffset> start) {
    this.durable = new HashMap<>(start);
  }

  /**
   * Records a transaction, before its last entry is passed to the pipeline.
   *
   * @param nextOffset the offset of the entry after its last one
   * @param moved the partitions that have moved since the last call
   */
  synchronized void note(long nextOffset, Map<TopicPartition, PartitionOffset> moved) {
    moves.put(nextOffset, moved);
  }

  /** Deletes what is below the offset. */
  synchronized void durable(long nextOffset) {
    Map<Long, Map<TopicPartition, PartitionOffset>> past = moves.headMap(nextOffset, true);
    past.values().forEach(durable::putAll);
    past.clear();
  }

  /** The partitions' offsets that belong to an offset of the pipeline. */
  Map<TopicPartition, Long> offsetsAt(long nextOffset) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    at(nextOffset).forEach((partition, place) -> offsets.put(partition, place.nextOffset()));
    return offsets;
  }

  @Override
  public synchronized Map<TopicPartition, PartitionOffset> at(long nextOffset) {
    Map<TopicPartition, PartitionOffset> places = new HashMap<>(durable);
    moves.headMap(nextOffset, true).values().forEach(places::putAll);
    return places;
  }
}
