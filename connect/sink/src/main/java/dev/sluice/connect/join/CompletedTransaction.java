package dev.sluice.connect.join;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connector.api.Position;
import java.util.Map;

/**
 * A transaction of which everything is there. Its events are read once, then it is closed. Owned by
 * the task's thread.
 */
public interface CompletedTransaction extends AutoCloseable {
  String xid();

  /** Of its commit. */
  Position position();

  /** Microseconds since 1970. */
  long commitMicros();

  /** The events that are read here, by collection. */
  Map<String, Long> counts();

  /** The next event in the source's order; null after the last. */
  DebeziumRecord next();

  @Override
  void close();
}
