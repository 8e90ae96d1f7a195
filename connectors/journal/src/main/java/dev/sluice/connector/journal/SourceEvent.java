package dev.sluice.connector.journal;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Position;

/** A decoded event of a source's log. Immutable. */
public sealed interface SourceEvent {

  /** The next change of the open transaction; the first change opens it. */
  record Changed(ChangeEvent change) implements SourceEvent {}

  /**
   * The open transaction is complete.
   *
   * @param commitMicros its commit time on the source, microseconds since 1970
   * @param transactionId the source's id of the transaction; 0 if the source has none
   * @param bookmark what the source needs to go on after it; empty if the position says it
   */
  record Committed(Position position, long commitMicros, long transactionId, String bookmark)
      implements SourceEvent {

    /** The same if the position says where it goes on. */
    public Committed(Position position, long commitMicros, long transactionId) {
      this(position, commitMicros, transactionId, "");
    }
  }

  /**
   * The task's progress message: the position that the source's log has reached.
   *
   * @param sourceMicros time on the source, microseconds since 1970
   */
  record Progressed(Position position, long sourceMicros) implements SourceEvent {}
}
