package dev.sluice.sink.control.position;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Maps a pipeline's offset to the offsets of its input partitions. Threadsafe. */
public interface PartitionOffsets {

  /**
   * Returns the offset of every partition when the pipeline has applied all entries below an
   * offset.
   *
   * @param nextOffset the offset; not lower than in an earlier call
   */
  Map<TopicPartition, PartitionOffset> at(long nextOffset);
}
