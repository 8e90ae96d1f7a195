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
public record JournalPlace(Position position, long term, long transaction, long nextOffset) {
  public JournalPlace {
    Objects.requireNonNull(position, "position");
  }

  /** Nothing of the journal is applied; the target holds the source's state of that position. */
  public static JournalPlace beginning(Position position) {
    return new JournalPlace(position, 0, 0, 0);
  }
}
