package dev.sluice.sink.progress;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalPlace;
import java.time.Instant;
import java.util.Optional;

/**
 * How far something has got. Immutable.
 *
 * @param place in the journal
 * @param lastCommit when the source committed the transaction at that position; empty before the
 *     first since the start
 */
public record AppliedPoint(JournalPlace place, Optional<Instant> lastCommit) {

  /** In the source's log. */
  public Position position() {
    return place.position();
  }

  /** In the journal. */
  public long nextOffset() {
    return place.nextOffset();
  }
}
