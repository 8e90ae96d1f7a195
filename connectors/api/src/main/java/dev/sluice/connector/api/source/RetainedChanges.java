package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import java.util.Map;

/**
 * Counts the changes in the log that the source keeps for the task while no capture runs, by table.
 * Consumes nothing. Each call is from one thread.
 */
public interface RetainedChanges {

  /**
   * Counts the changes committed after a position; many take several calls.
   *
   * @throws SluiceException if the log is not kept, or is being read
   */
  Found after(Position position);

  /** The source may remove its log up to the position. */
  void giveUp(Position upTo);

  /**
   * The result of one call.
   *
   * @param changes committed changes by table, partitions under their own names; a TRUNCATE counts
   *     one for each table
   * @param upTo the position up to which the log was read
   */
  record Found(Map<TableId, Long> changes, Position upTo) {
    public Found {
      changes = Map.copyOf(changes);
    }
  }
}
