package dev.sluice.sink.control.validation;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.time.Instant;
import java.util.Optional;

/**
 * A row that differs: a row of {@code sluice_validation_failures_v2}. Immutable.
 *
 * @param table name on the source
 * @param target the target's table
 * @param key the key's columns and values as JSON; of a table without a key the complete row
 * @param source the source's row as JSON; empty if it has none
 * @param targetRow the target's row as JSON, by the names on the target; empty if it has none
 * @param differing the values of both sides in the columns that differ, as JSON; of a table without
 *     a key how many copies of the row are missing or extra
 * @param at where both sides were read
 * @param sessions how many sessions in a row have found the same; from 2 on it is confirmed
 * @param pendingSince since when the row changes too often to be compared; empty if it does not
 * @param refusal why the target refused its repair, in the target's words; empty if it did not
 * @param rejection the change of the row that the target rejected when it was applied, and why, in
 *     words; empty if none is listed
 */
public record RowFailure(
    TableId table,
    TableId target,
    FailureKind kind,
    String key,
    Optional<String> source,
    Optional<String> targetRow,
    String differing,
    ReadAt at,
    int sessions,
    Optional<Instant> pendingSince,
    Optional<String> refusal,
    Optional<String> rejection) {

  /** A row of which no rejected change is known. */
  public RowFailure(
      TableId table,
      TableId target,
      FailureKind kind,
      String key,
      Optional<String> source,
      Optional<String> targetRow,
      String differing,
      ReadAt at,
      int sessions,
      Optional<Instant> pendingSince,
      Optional<String> refusal) {
    this(
        table,
        target,
        kind,
        key,
        source,
        targetRow,
        differing,
        at,
        sessions,
        pendingSince,
        refusal,
        Optional.empty());
  }

  /** Sessions that must find the same difference before it is reported as one. */
  public static final int CONFIRMING_SESSIONS = 2;

  /**
   * Where both sides were read.
   *
   * @param source position of the source's snapshot
   * @param target position up to which the target had the source's changes
   */
  public record ReadAt(Position source, Position target) {}

  public boolean isConfirmed() {
    return sessions >= CONFIRMING_SESSIONS;
  }

  /**
   * The same after an earlier session has found it: one session more, if both found the same.
   *
   * @param earlier of the same key
   */
  public RowFailure after(RowFailure earlier) {
    boolean same =
        earlier.kind == kind
            && earlier.source.equals(source)
            && earlier.targetRow.equals(targetRow)
            && earlier.differing.equals(differing);
    return same
        ? with(earlier.sessions + 1, Optional.empty(), earlier.refusal)
        : with(1, Optional.empty(), Optional.empty());
  }

  /** The same, which could not be compared again because the row keeps changing. */
  public RowFailure changingSince(Instant now) {
    return with(sessions, pendingSince.or(() -> Optional.of(now)), refusal);
  }

  /** The same after it was repaired: the next session proves it, or finds a new difference. */
  public RowFailure repaired() {
    return with(0, Optional.empty(), Optional.empty());
  }

  /** The same, whose repair the target refuses. */
  public RowFailure refused(String why) {
    return with(sessions, pendingSince, Optional.of(why));
  }

  /** The same, with what is known of rejected changes of the row. */
  public RowFailure rejected(Optional<String> what) {
    return with(sessions, pendingSince, refusal, what);
  }

  private RowFailure with(int count, Optional<Instant> pending, Optional<String> refused) {
    return with(count, pending, refused, rejection);
  }

  private RowFailure with(
      int count, Optional<Instant> pending, Optional<String> refused, Optional<String> rejected) {
    return new RowFailure(
        table, target, kind, key, source, targetRow, differing, at, count, pending, refused,
        rejected);
  }
}
