package dev.sluice.sink.control.position;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Tells what a place of the pipeline means for the partitions that feed it. Threadsafe. */
public interface PartitionOffsets {

  /**
   * The place of every partition where the pipeline has applied all entries below that offset.
   *
   * @param nextOffset not below one that was asked for before
   */
  Map<TopicPartition, PartitionOffset> at(long nextOffset);
}
