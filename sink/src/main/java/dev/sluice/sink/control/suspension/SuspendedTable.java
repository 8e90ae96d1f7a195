package dev.sluice.sink.control.suspension;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Instant;

/**
 * A table whose changes the lanes skip, as stored on the target. Immutable.
 *
 * @param table the source table
 * @param state whether it waits, is copied again or catches up
 * @param reason the error or the command that suspended it
 * @param since when it was suspended
 * @param applied journal offset up to which everything is applied for it; the first missing
 *     transaction comes after it
 * @param firstMissing position of the first transaction that was not applied for it
 * @param rowsWhole whether the target's rows are complete up to that offset; false from when a
 *     reload empties the table until it is copied
 * @param journaled whether that offset is valid in the current journal; a re-created journal lacks
 *     the changes after it
 */
public record SuspendedTable(
    TableId table,
    SuspensionState state,
    String reason,
    Instant since,
    JournalOffset applied,
    Position firstMissing,
    boolean rowsWhole,
    boolean journaled) {

  /** A table that is suspended by an error. */
  public SuspendedTable(
      TableId table, String reason, Instant since, JournalOffset applied, Position firstMissing) {
    this(table, SuspensionState.SUSPENDED, reason, since, applied, firstMissing, true, true);
  }
}
