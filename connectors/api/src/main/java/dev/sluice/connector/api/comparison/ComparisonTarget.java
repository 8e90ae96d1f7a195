package dev.sluice.connector.api.comparison;

import dev.sluice.config.TableId;
import java.time.Duration;

/** The target's side of comparisons. Threadsafe. */
public interface ComparisonTarget {

  /**
   * Takes a snapshot and reads a checkpoint as this snapshot shows it. Locks no row, so that
   * windows are applied meanwhile.
   *
   * @param life how long it may live; the server ends it by itself soon after
   */
  TargetView open(CheckpointQuery checkpoint, Duration life);

  /**
   * Prepares a table for its first comparison: the first reader of fresh rows would write them
   * again. Neither waits for others nor makes them wait. Does nothing without the right to.
   *
   * @param table its name on the target
   */
  void prepare(TableId table);
}
