package dev.sluice.sink.apply.isolation;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.sink.replay.PositionedChange;

/**
 * A change with its number in the window. Immutable.
 *
 * @param number from 0, in source order
 */
record NumberedChange(long number, PositionedChange placed) {
  ChangeEvent event() {
    return placed.event();
  }

  /** The same number and position with another event. */
  NumberedChange with(ChangeEvent event) {
    return new NumberedChange(
        number, new PositionedChange(placed.transaction(), placed.ordinal(), event));
  }
}
