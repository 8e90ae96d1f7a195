package dev.sluice.sink.intake;

import dev.sluice.connector.api.Position;
import java.util.Objects;

/**
 * How far the journal has been applied, as the checkpoint keeps it. Immutable.
 *
 * @param position the last applied transaction's place in the source's log
 * @param term the term of that transaction; 0 before the first
 * @param transaction its number in that term; 0 before the first
 * @param nextOffset the journal offset from which reading goes on
 */
public record JournalOffset(Position position, long term, long transaction, long nextOffset) {
  public JournalOffset {
    Objects.requireNonNull(position, "position");
  }

  /** Nothing of the journal is applied; the target holds the source's state of that position. */
  public static JournalOffset beginning(Position position) {
    return new JournalOffset(position, 0, 0, 0);
  }
}
