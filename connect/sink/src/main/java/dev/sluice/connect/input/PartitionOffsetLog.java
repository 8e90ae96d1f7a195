package dev.sluice.connect.input;

import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.position.PartitionOffsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * Remembers where the partitions stood after each transaction that was given to the pipeline, until
 * it is durable. Threadsafe: the task's thread notes, the apply thread asks.
 */
public final class PartitionOffsetLog implements PartitionOffsets {
  // Under the lock of this.
  private final Map<TopicPartition, PartitionOffset> durable;
  private final TreeMap<Long, Map<TopicPartition, PartitionOffset>> moves = new TreeMap<>();

  /**
   * @param start what the target's checkpoint says
   */
  public PartitionOffsetLog(Map<TopicPartition, PartitionOffset> start) {
    this.durable = new HashMap<>(start);
  }

  /**
   * Notes a transaction, before its last entry is given to the pipeline.
   *
   * @param nextOffset of the entry after its last one
   * @param moved the partitions that have moved since the last note
   */
  synchronized void note(long nextOffset, Map<TopicPartition, PartitionOffset> moved) {
    moves.put(nextOffset, moved);
  }

  /** Nobody asks for anything below any more. */
  synchronized void durable(long nextOffset) {
    Map<Long, Map<TopicPartition, PartitionOffset>> past = moves.headMap(nextOffset, true);
    past.values().forEach(durable::putAll);
    past.clear();
  }

  /** The partitions' offsets where the pipeline stands at that one. */
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
