package dev.sluice.sink.control.suspension;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Instant;

/**
 * A table that the main stream passes over, as the target remembers it. Immutable.
 *
 * @param table the source table
 * @param state what becomes of it
 * @param reason the error that suspended it, or the order
 * @param since when
 * @param applied up to here everything is applied for it: reading the journal from there gives the
 *     first transaction that is missing
 * @param firstMissing the position of the transaction that was the first not applied for it
 * @param rowsWhole whether the target's rows are those of that place; false from the moment on in
 *     which a reload empties the table, until it is copied whole
 * @param journaled whether the place counts in the journal that is in use; one that was made anew
 *     has lost what follows it
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

  /** One that an error suspends. */
  public SuspendedTable(
      TableId table, String reason, Instant since, JournalOffset applied, Position firstMissing) {
    this(table, SuspensionState.SUSPENDED, reason, since, applied, firstMissing, true, true);
  }
}
