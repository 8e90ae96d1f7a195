package dev.sluice.engine.validate.followed;

import dev.sluice.connector.api.Position;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.intake.JournalOffset;

/**
 * From where the lanes apply changes, and with that from where their keys are recorded. Immutable.
 *
 * @param lanes their number
 * @param lowest the place of the lane that is furthest behind
 * @param highest the position of the one that is furthest ahead
 */
public record LaneStarts(int lanes, JournalOffset lowest, Position highest) {

  public static LaneStarts of(LaneLayout.Start start) {
    JournalOffset lowest = start.main().place();
    Position highest = lowest.position();
    for (LaneCheckpoint lane : start.others()) {
      if (lowest.position().isAfter(lane.place().position())) {
        lowest = lane.place();
      }
      highest = highest.max(lane.place().position());
    }
    return new LaneStarts(1 + start.others().size(), lowest, highest);
  }
}
