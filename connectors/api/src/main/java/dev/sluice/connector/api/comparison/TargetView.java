package dev.sluice.connector.api.comparison;

import dev.sluice.connector.api.Position;
import java.util.Optional;

/** A snapshot of the target. Its owner takes the snapshot before it reads. */
public interface TargetView extends SideView {

  /**
   * Takes a snapshot in place of an earlier one, and reads a checkpoint as it shows it. Locks no
   * row, so windows are applied meanwhile.
   *
   * @return the checkpoint; empty if there is none
   */
  Optional<Position> takeSnapshot(CheckpointQuery checkpoint);

  /** Takes a snapshot in place of an earlier one, of a target without a known checkpoint. */
  void takeSnapshot();
}
