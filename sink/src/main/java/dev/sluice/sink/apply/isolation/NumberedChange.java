package dev.sluice.sink.apply.isolation;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.sink.replay.PositionedChange;

/**
 * A change with its place in the window.
 *
 * @param number from 0, in source order
 */
record NumberedChange(long number, PositionedChange placed) {
  ChangeEvent event() {
    return placed.event();
  }

  /** Another change in its place. */
  NumberedChange with(ChangeEvent event) {
    return new NumberedChange(
        number, new PositionedChange(placed.transaction(), placed.ordinal(), event));
  }
}
