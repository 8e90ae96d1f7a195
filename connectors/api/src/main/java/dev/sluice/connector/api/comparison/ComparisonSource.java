package dev.sluice.connector.api.comparison;

import java.time.Duration;

/** The source's side of comparisons. Threadsafe. */
public interface ComparisonSource {

  /**
   * Takes a snapshot that waits for nobody and touches no table, and then reads the log's end.
   *
   * @param life how long it may live; the server ends it by itself soon after
   * @throws dev.sluice.config.document.SluiceException.Retryable if the server is not reachable
   */
  SourceView open(Duration life);

  /** Asks the server who it is. */
  SideIdentity identity();

  /**
   * The statements that make a session print values as a view does, on one line; for both sides.
   */
  String settings();
}
