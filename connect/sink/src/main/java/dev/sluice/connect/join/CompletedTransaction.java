package dev.sluice.connect.join;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connector.api.Position;
import java.util.Map;

/**
 * A complete transaction. Its events are read once, then it is closed. Owned by the task's thread.
 */
public interface CompletedTransaction extends AutoCloseable {
  String xid();

  /** The position of its commit. */
  Position position();

  /** The time of its commit, in microseconds since 1970. */
  long commitMicros();

  /** The number of events that this connector reads, by collection. */
  Map<String, Long> counts();

  /** The next event in the source's order; null after the last. */
  DebeziumRecord next();

  @Override
  void close();
}
