package dev.sluice.connector.api.comparison;

import dev.sluice.config.TableId;
import java.time.Duration;

/** The target's side of comparisons. Threadsafe. */
public interface ComparisonTarget {

  /**
   * Opens a view that has no snapshot yet.
   *
   * @param life how long it may live; the server ends it by itself soon after
   * @throws dev.sluice.config.document.SluiceException.Retryable if the server is not reachable
   */
  TargetView open(Duration life);

  /** Asks the server who it is. */
  SideIdentity identity();

  /**
   * Prepares a table for its first comparison: the first reader of fresh rows would write them
   * again. Neither waits for others nor makes them wait: it gives up instead. Does nothing without
   * the right to.
   *
   * @param table its name on the target
   * @return whether it is prepared
   */
  boolean prepare(TableId table);
}
