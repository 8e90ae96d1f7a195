package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of the validation for status and metrics. Immutable.
 *
 * @param waiting why no session runs; empty while one does or the duty cycle pauses
 * @param sessions that have compared something
 * @param rows compared in parts of tables
 * @param keys looked up
 * @param lastTook how long the last session took
 * @param start what the start has restored of an earlier daemon's state, as text, or why nothing;
 *     empty if there was nothing
 */
public record ValidationProgress(
    String waiting,
    long sessions,
    long rows,
    long keys,
    Optional<Duration> lastTook,
    List<OfTable> tables,
    String start) {

  /** Before the first session. */
  static final ValidationProgress NONE =
      new ValidationProgress("", 0, 0, 0, Optional.empty(), List.of(), "");

  public ValidationProgress {
    tables = List.copyOf(tables);
  }

  /**
   * What is known of a table.
   *
   * @param state by DMS's names
   * @param read the last complete pass; empty before it
   * @param reading the part of the pass that runs
   * @param followed whether all later changes are recorded
   * @param touched rows that were changed and not compared since
   * @param failed rows that differ
   * @param rejected those of them of which the target has rejected a change
   * @param pending rows of which it is not known yet
   * @param suspended rows that change too often to be compared
   * @param notCompared columns that are not compared, in words
   * @param problem why the last session could not compare it
   */
  public record OfTable(
      TableId table,
      String state,
      Optional<Read> read,
      Optional<Read> reading,
      boolean followed,
      long touched,
      long failed,
      long rejected,
      long pending,
      long suspended,
      List<String> notCompared,
      Optional<String> problem) {
    public OfTable {
      notCompared = List.copyOf(notCompared);
    }

    /** Whether every row was read and proven equal, apart from rows that were changed since. */
    public boolean isFollowed() {
      return read.isPresent() && followed && failed == 0 && suspended == 0 && problem.isEmpty();
    }

    /** Whether every row is proven to be equal as of the last session. */
    public boolean isProven() {
      return read.isPresent()
          && followed
          && touched == 0
          && failed == 0
          && pending == 0
          && suspended == 0
          && problem.isEmpty();
    }
  }

  /**
   * A pass.
   *
   * @param at when it ended, or began if it runs
   * @param position the oldest position at which a row was read
   */
  public record Read(Instant at, Position position, long rows) {}
}
