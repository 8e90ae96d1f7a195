package dev.sluice.connector.api.source;

import dev.sluice.connector.api.Position;
import java.util.Objects;

/**
 * How far the target has the journal. From here on a source can read the journal as the sink does,
 * and know what the sink accepts. Immutable.
 *
 * @param position of the last applied transaction, of the lane that is furthest behind
 * @param term of that transaction; 0 before the first
 * @param transaction its number in that term; 0 before the first
 * @param nextOffset the journal offset from which the sink reads on
 * @param furthest the highest position of which the target has something, by a lane or by a load
 */
public record AppliedJournal(
    Position position, long term, long transaction, long nextOffset, Position furthest) {
  /** Before everything. */
  public static final AppliedJournal NOTHING = new AppliedJournal(Position.ZERO, 0, 0, 0);

  public AppliedJournal {
    Objects.requireNonNull(position, "position");
    Objects.requireNonNull(furthest, "furthest");
  }

  /** A target that has nothing after the position. */
  public AppliedJournal(Position position, long term, long transaction, long nextOffset) {
    this(position, term, transaction, nextOffset, position);
  }
}
