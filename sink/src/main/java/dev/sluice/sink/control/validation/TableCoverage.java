package dev.sluice.sink.control.validation;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * How far the rows of a table were read and compared. A row of {@code validation_table}. Immutable.
 *
 * @param table name on the source
 * @param shape hash of the definitions that were compared; another one voids what was read
 * @param running the pass that is in progress; empty before the first session and after the last
 *     one of a pass
 * @param complete the last complete pass
 * @param suspended why the table is not compared any more; empty if it is
 */
public record TableCoverage(
    TableId table,
    String shape,
    Optional<RunningPass> running,
    Optional<CompletePass> complete,
    String suspended) {

  public TableCoverage {
    Objects.requireNonNull(shape, "shape");
    Objects.requireNonNull(suspended, "suspended");
  }

  /** A table of which nothing was read. */
  public static TableCoverage none(TableId table, String shape) {
    return new TableCoverage(table, shape, Optional.empty(), Optional.empty(), "");
  }

  /**
   * A pass that has read a part of the table.
   *
   * @param position the oldest position at which a row of it was read
   * @param rows read so far
   * @param next where the next session continues, as the comparison wrote it
   */
  public record RunningPass(Instant beganAt, Position position, long rows, String next) {}

  /**
   * A pass that has read every row.
   *
   * @param position the oldest position at which a row was read
   */
  public record CompletePass(Instant at, Position position, long rows) {}

  /** Whether a row of a pass was read at the position or after it. */
  public boolean wasReadAt(Position position) {
    return running.filter(pass -> !position.isAfter(pass.position())).isPresent()
        || complete.filter(pass -> !position.isAfter(pass.position())).isPresent();
  }

  /**
   * The coverage after a session has read a part.
   *
   * @param position of the session
   * @param rows that it read and compared
   * @param next where to continue; empty if it read the last row
   */
  public TableCoverage read(Position position, long rows, Optional<String> next, Instant now) {
    Instant beganAt = running.map(RunningPass::beganAt).orElse(now);
    Position oldest = running.map(RunningPass::position).orElse(position);
    long all = running.map(RunningPass::rows).orElse(0L) + rows;
    return next.map(
            more ->
                new TableCoverage(
                    table,
                    shape,
                    Optional.of(new RunningPass(beganAt, oldest, all, more)),
                    complete,
                    suspended))
        .orElseGet(
            () ->
                new TableCoverage(
                    table,
                    shape,
                    Optional.empty(),
                    Optional.of(new CompletePass(now, oldest, all)),
                    suspended));
  }

  /** The coverage after what was read counts no longer. */
  public TableCoverage voided(String newShape) {
    return none(table, newShape);
  }

  /** The coverage after a pass was given up; what an earlier one read still counts. */
  public TableCoverage withoutPass() {
    return new TableCoverage(table, shape, Optional.empty(), complete, suspended);
  }

  /** The same, not compared any more. */
  public TableCoverage suspendedFor(String reason) {
    return new TableCoverage(table, shape, running, complete, reason);
  }
}
