package dev.sluice.connector.generic.start;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceSnapshot;

/**
 * Stands for the snapshot that Debezium takes when its capture starts. No reader can open it: its
 * rows are the journal's first transaction. Immutable.
 */
record DebeziumSnapshot(Position position) implements SourceSnapshot {
  @Override
  public String name() {
    return "by Debezium";
  }

  @Override
  public void close() {
    // The connector ends it.
  }
}
