package dev.sluice.connector.api.source;

import dev.sluice.connector.api.Position;

/**
 * A consistent snapshot of the source at a position of its log: it shows exactly the changes up to
 * there. Valid while it is open. Closed by the thread that opened it.
 */
public interface SourceSnapshot extends AutoCloseable {

  /** The name by which readers open it. */
  String name();

  /** Changes at or below it are in the snapshot. */
  Position position();

  @Override
  void close();
}
