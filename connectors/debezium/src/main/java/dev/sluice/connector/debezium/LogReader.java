package dev.sluice.connector.debezium;

import dev.sluice.connector.api.Position;
import org.apache.kafka.connect.source.SourceTask;

/** Debezium's task for one kind of source, which puts what it decodes into an event queue. */
public interface LogReader {

  /** The task itself; single use. What it delivers through Debezium's own queue is an error. */
  SourceTask task();

  /**
   * Tells the source that its log up to this position is not needed any more. Called by the
   * publishing thread while the task runs.
   *
   * @throws Exception where the source cannot be told
   */
  void acknowledge(Position position) throws Exception;

  /** Whether the task has begun to read the log and does not any more, for whatever reason. */
  boolean hasEnded();
}
