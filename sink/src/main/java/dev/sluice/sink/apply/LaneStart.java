package dev.sluice.sink.apply;

import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import java.util.Optional;

/**
 * Whose windows an applier applies, and from where on. Immutable but for the news.
 *
 * @param claimed the checkpoint with the epoch that this task holds
 * @param lane whose checkpoint the windows move
 * @param place what that checkpoint says; it is on the target
 * @param rows the checkpoint of a task that does not read one journal; else the lane's own
 * @param news of changes of the suspended tables that are not made by the applier; those it is
 *     given were read after the last of them
 */
public record LaneStart(
    Checkpoint claimed,
    Lane lane,
    JournalOffset place,
    Optional<CheckpointRows> rows,
    SuspensionChanges news) {

  /** The only lane of a task. */
  public static LaneStart whole(Checkpoint claimed) {
    return of(claimed, Lane.WHOLE, claimed.place());
  }

  /** A lane beside which nobody changes the suspended tables. */
  public static LaneStart of(Checkpoint claimed, Lane lane, JournalOffset place) {
    return new LaneStart(claimed, lane, place, Optional.empty(), new SuspensionChanges());
  }

  /** The only lane of a task that does not read one journal. */
  public static LaneStart with(CheckpointRows rows, Checkpoint claimed, JournalOffset place) {
    return new LaneStart(claimed, Lane.WHOLE, place, Optional.of(rows), new SuspensionChanges());
  }
}
