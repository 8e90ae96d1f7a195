package dev.sluice.connector.journal;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Position;

/** What a source's log says, in its order. Immutable. */
public sealed interface SourceEvent {

  /** The next change of the open transaction; the first one opens it. */
  record Changed(ChangeEvent change) implements SourceEvent {}

  /**
   * The open transaction is complete.
   *
   * @param commitMicros when the source committed it, microseconds since 1970
   */
  record Committed(Position position, long commitMicros) implements SourceEvent {}

  /** The task's own message outside a transaction: the source's log has come this far. */
  record Progressed(Position position, long sourceMicros) implements SourceEvent {}
}
