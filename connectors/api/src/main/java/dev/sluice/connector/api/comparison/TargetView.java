package dev.sluice.connector.api.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of the target, or what comes next to it. Its owner takes the snapshot before it reads.
 */
public interface TargetView extends SideView {

  /**
   * Takes a snapshot in place of an earlier one, and reads a checkpoint as it shows it. Locks no
   * row, so windows are applied meanwhile.
   *
   * @return the checkpoint; empty if there is none
   */
  Optional<Position> takeSnapshot(CheckpointQuery checkpoint);

  /**
   * Whether all reads show the same moment. Otherwise each row is as it is committed when it is
   * read, so it may be newer than the checkpoint.
   */
  default boolean isOneMoment() {
    return true;
  }

  /** Whether the snapshot is known to have ended, so that nothing more can be read under it. */
  default boolean isOver() {
    return false;
  }

  /** The number of pages of a table, or of its largest partition. */
  long pages(TableId table);

  /**
   * Finds rows of a part by their keys, without any index. A row that is updated stays in its page,
   * or gets new entries in all indexes.
   *
   * @return as {@link SideView#read(ComparedRows, List, Lookup)}
   */
  List<FoundRow> read(ComparedRows rows, List<RowKey> keys, TablePart part);

  /** Takes a snapshot in place of an earlier one, of a target without a known checkpoint. */
  void takeSnapshot();
}
