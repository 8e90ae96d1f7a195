package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The running replication, as the validation uses it. Threadsafe. */
public interface Applied {
  /** The lane that applies a table's changes. */
  LaneId laneOf(TableId target);

  /** Up to where a lane has applied the changes. */
  Position position(LaneId lane);

  /** Up to where every lane has applied the journal. */
  JournalOffset reached();

  /** How far the target is behind the source; empty if it is not known yet. */
  Optional<Duration> lag();

  /** The tables that no lane applies at present, by their names on the source. */
  Set<TableId> suspended();

  /**
   * Holds a lane between two windows: once a window has reached the position, no other is begun
   * until the lane is released or the time is over. The source, the capture and the journal
   * continue.
   */
  void hold(LaneId lane, Position from, Duration longest);

  /** Releases all lanes. */
  void release();
}
