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
   * Counts the changes committed after a position. Many take several calls; a call begins where the
   * log was given up, so who reads on has to give up what was read.
   *
   * @throws SluiceException if the log is not kept, or is being read
   */
  Found after(Position position);

  /**
   * Whether reading the log that is kept comes to a fence, however much is before it. Gives nothing
   * up.
   *
   * @param fence as {@link SourceLog#emitFence} has returned it; the log may show it only some time
   *     later
   * @throws SluiceException if the log is not kept, or is being read
   */
  boolean shows(Position fence);

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
