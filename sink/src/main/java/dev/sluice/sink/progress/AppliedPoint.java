package dev.sluice.sink.progress;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Instant;
import java.util.Optional;

/**
 * A point up to which the journal was applied. Immutable.
 *
 * @param place the offset in the journal
 * @param lastCommit when the source committed the transaction at that point; empty before the first
 *     one since the start
 */
public record AppliedPoint(JournalOffset place, Optional<Instant> lastCommit) {

  /** The earlier of two points. */
  AppliedPoint lower(AppliedPoint other) {
    int byPosition = position().compareTo(other.position());
    boolean isHigher = byPosition == 0 ? nextOffset() > other.nextOffset() : byPosition > 0;
    return isHigher ? other : this;
  }

  /** The position in the source's log. */
  public Position position() {
    return place.position();
  }

  /** The journal offset from which reading continues. */
  public long nextOffset() {
    return place.nextOffset();
  }
}
