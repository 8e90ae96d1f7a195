package dev.sluice.connector.debezium;

import dev.sluice.connector.api.Position;
import org.apache.kafka.connect.source.SourceTask;

/** Debezium's task for one type of source, which puts decoded events into an event queue. */
public interface LogReader {

  /** The task; used once. It must not return records through Debezium's own queue. */
  SourceTask task();

  /**
   * Confirms to the source that its log up to this position is no longer needed. Called by the
   * publishing thread while the task runs.
   *
   * @throws Exception if the source cannot be reached
   */
  void acknowledge(Position position) throws Exception;

  /** Whether the task started to read the log and has stopped, for any reason. */
  boolean hasEnded();
}
