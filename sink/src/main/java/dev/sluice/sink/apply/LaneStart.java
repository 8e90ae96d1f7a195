package dev.sluice.sink.apply;

import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import java.util.List;
import java.util.Optional;

/**
 * The lane that an applier works for, and the journal offset from which it goes on. Immutable,
 * except for {@code suspensionChanges}.
 *
 * @param claimed the checkpoint with the epoch that this task holds
 * @param lane the lane whose checkpoint the windows advance
 * @param place journal offset of that checkpoint: everything before it is on the target
 * @param rows the checkpoint rows of a task that reads several partitions; empty: the lane's own
 *     checkpoint row
 * @param suspended the task's suspended tables, read under the claimed epoch
 * @param suspensionChanges counts the changes of suspended tables that others make; the applier
 *     reads the suspended tables again after each
 */
public record LaneStart(
    Checkpoint claimed,
    Lane lane,
    JournalOffset place,
    Optional<CheckpointRows> rows,
    List<SuspendedTable> suspended,
    SuspensionChanges suspensionChanges) {

  public LaneStart {
    suspended = List.copyOf(suspended);
  }

  /** The start of a task with one lane. */
  public static LaneStart whole(Checkpoint claimed, List<SuspendedTable> suspended) {
    return of(claimed, Lane.WHOLE, claimed.place(), suspended);
  }

  /** A lane while nobody else changes the suspended tables. */
  public static LaneStart of(
      Checkpoint claimed, Lane lane, JournalOffset place, List<SuspendedTable> suspended) {
    return new LaneStart(
        claimed, lane, place, Optional.empty(), suspended, new SuspensionChanges());
  }

  /** The start of a task that reads several partitions instead of one journal. */
  public static LaneStart with(
      CheckpointRows rows,
      Checkpoint claimed,
      JournalOffset place,
      List<SuspendedTable> suspended) {
    return new LaneStart(
        claimed, Lane.WHOLE, place, Optional.of(rows), suspended, new SuspensionChanges());
  }
}
