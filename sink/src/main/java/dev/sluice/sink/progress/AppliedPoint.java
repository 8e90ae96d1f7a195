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

  /**
   * The earlier position of two lanes, and the offset from which both can go on. A lane that reads
   * the journal again has a low offset until it is beyond what it has applied.
   */
  AppliedPoint lower(AppliedPoint other) {
    AppliedPoint lower = position().isAfter(other.position()) ? other : this;
    return new AppliedPoint(
        new JournalOffset(
            lower.place.position(),
            lower.place.term(),
            lower.place.transaction(),
            Math.min(nextOffset(), other.nextOffset())),
        lower.lastCommit);
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
