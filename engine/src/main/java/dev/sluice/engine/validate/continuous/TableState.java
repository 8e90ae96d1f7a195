package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.validate.followed.FollowedCoverage.ReadTable;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.TableCoverage.RunningPass;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is known of a table. Immutable.
 *
 * @param target its name on the target
 * @param key its key's columns on the source, in the order of the journal; empty if it has none
 * @param coverage as it is stored
 * @param failures the rows that are listed as different
 * @param touched rows that were changed and not compared since
 * @param followed whether every change since the last complete pass is recorded
 * @param notCompared columns that are not compared, in words
 * @param problem why the last session could not compare it; empty if it could
 * @param refused whether no session can, until somebody changes something
 * @param exempt why it is not compared at all; empty if it is
 */
record TableState(
    TableId target,
    List<String> key,
    TableCoverage coverage,
    List<RowFailure> failures,
    int touched,
    boolean followed,
    List<String> notCompared,
    Optional<String> problem,
    boolean refused,
    Optional<String> exempt) {

  TableId table() {
    return coverage.table();
  }

  /**
   * Whether the last complete pass does not suffice: later changes are not known, or the table has
   * no key, by which single rows could be looked up again.
   */
  boolean mustBeReadAgain() {
    return !followed
        || key.isEmpty()
            && (touched > 0 || failures.stream().anyMatch(failure -> !failure.isConfirmed()));
  }

  /** Whether a complete pass was made, be it long ago. */
  boolean wasRead() {
    return coverage.complete().isPresent();
  }

  /**
   * When its rows were read, if its listed rows are as a session has seen them: those that were
   * repaired since are not proven yet, and nothing says so after a restart.
   */
  Optional<ReadTable> readSince() {
    return failures.stream().allMatch(failure -> failure.sessions() > 0)
        ? Stream.concat(
                coverage.complete().map(CompletePass::position).stream(),
                coverage.running().map(RunningPass::position).stream())
            .max(Position::compareTo)
            .map(position -> new ReadTable(table(), position))
        : Optional.empty();
  }

  /** The same, of which nothing was read. */
  TableState unread() {
    return with(TableCoverage.none(table(), coverage.shape()));
  }

  /** The same, compared although many rows differ. */
  TableState comparedAgain() {
    return with(coverage.suspendedFor(""));
  }

  /** The same with other listed rows. */
  TableState withFailures(List<RowFailure> others) {
    return new TableState(
        target, key, coverage, others, touched, followed, notCompared, problem, refused, exempt);
  }

  private TableState with(TableCoverage other) {
    return new TableState(
        target, key, other, failures, touched, followed, notCompared, problem, refused, exempt);
  }

  /** Rows that are proven to differ. */
  long failed() {
    return failures.stream().filter(RowFailure::isConfirmed).count();
  }

  /** Those of the rows that are proven to differ of which the target has rejected a change. */
  long rejected() {
    return failures.stream()
        .filter(RowFailure::isConfirmed)
        .filter(row -> row.rejection().isPresent())
        .count();
  }

  /** Rows that change in every session, for longer than the delay. */
  long suspended(Duration delay, Instant now) {
    return failures.stream().filter(failure -> isSuspended(failure, delay, now)).count();
  }

  /** Rows of which it is not known yet whether they differ. */
  long pending(Duration delay, Instant now) {
    return failures.stream()
        .filter(failure -> !failure.isConfirmed() && !isSuspended(failure, delay, now))
        .count();
  }

  private static boolean isSuspended(RowFailure failure, Duration delay, Instant now) {
    return !failure.isConfirmed()
        && failure.pendingSince().filter(since -> !since.plus(delay).isAfter(now)).isPresent();
  }

  /**
   * The state by DMS's names.
   *
   * @param delay after which a row that keeps changing counts as suspended
   * @param tooOld whether the last complete pass is older than a proof may be
   */
  DmsState state(Duration delay, boolean tooOld, Instant now) {
    if (exempt.isPresent()) {
      return DmsState.NO_PRIMARY_KEY;
    }
    if (!coverage.suspended().isEmpty() || refused) {
      return DmsState.TABLE_ERROR;
    }
    if (failed() > 0) {
      return DmsState.MISMATCHED_RECORDS;
    }
    if (pending(delay, now) > 0) {
      return DmsState.PENDING_RECORDS;
    }
    if (suspended(delay, now) > 0) {
      return DmsState.SUSPENDED_RECORDS;
    }
    if (coverage.complete().isEmpty()) {
      return DmsState.PENDING_VALIDATION;
    }
    if (tooOld || !followed) {
      return DmsState.PENDING_REVALIDATION;
    }
    return touched > 0 ? DmsState.PENDING_RECORDS : DmsState.VALIDATED;
  }
}
