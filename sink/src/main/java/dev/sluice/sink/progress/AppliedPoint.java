package dev.sluice.sink.progress;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Instant;
import java.util.Optional;

/**
 * How far something has got. Immutable.
 *
 * @param place in the journal
 * @param lastCommit when the source committed the transaction at that position; empty before the
 *     first since the start
 */
public record AppliedPoint(JournalOffset place, Optional<Instant> lastCommit) {

  /** The one that is less far. */
  AppliedPoint lower(AppliedPoint other) {
    int byPosition = position().compareTo(other.position());
    boolean isHigher = byPosition == 0 ? nextOffset() > other.nextOffset() : byPosition > 0;
    return isHigher ? other : this;
  }

  /** In the source's log. */
  public Position position() {
    return place.position();
  }

  /** In the journal. */
  public long nextOffset() {
    return place.nextOffset();
  }
}
