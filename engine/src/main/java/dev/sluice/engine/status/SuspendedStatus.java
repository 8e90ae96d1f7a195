package dev.sluice.engine.status;

import java.time.Instant;
import java.util.Objects;

/**
 * A table that is not applied with the others. Immutable.
 *
 * @param state {@code suspended}, {@code reloading} or {@code catching-up}
 * @param since when
 * @param reason the error that suspended it, or the command
 * @param firstMissing the position of the first transaction that is not applied for it
 * @param position up to which all is applied for it
 * @param journalOffset from which on the journal is kept for it
 * @param rowsWhole whether the target's rows are those of that position; not after a failed reload,
 *     then the table must be reloaded again
 * @param rowsCopied by the running reload; null if none runs
 * @param behindRecords journal records between it and the others
 * @param behindSeconds between the last source transactions applied of both; null if unknown
 */
public record SuspendedStatus(
    String schema,
    String table,
    String state,
    Instant since,
    String reason,
    String firstMissing,
    String position,
    long journalOffset,
    boolean rowsWhole,
    Long rowsCopied,
    long behindRecords,
    Double behindSeconds) {
  public SuspendedStatus {
    state = Objects.requireNonNullElse(state, "");
  }
}
