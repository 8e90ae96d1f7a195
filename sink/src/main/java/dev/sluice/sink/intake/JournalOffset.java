package dev.sluice.sink.intake;

import dev.sluice.connector.api.Position;
import java.util.Objects;

/**
 * How far the journal was applied, as stored in the checkpoint. Immutable.
 *
 * @param position the last applied transaction's position in the source's log
 * @param term the term of that transaction; 0 before the first
 * @param transaction its number in that term; 0 before the first
 * @param nextOffset the journal offset from which reading continues
 */
public record JournalOffset(Position position, long term, long transaction, long nextOffset) {
  public JournalOffset {
    Objects.requireNonNull(position, "position");
  }

  /**
   * The start without any applied transaction: the target has the source's state at the position.
   */
  public static JournalOffset beginning(Position position) {
    return new JournalOffset(position, 0, 0, 0);
  }
}
