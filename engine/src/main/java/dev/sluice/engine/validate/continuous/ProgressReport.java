package dev.sluice.engine.validate.continuous;

import dev.sluice.engine.validate.schedule.TableOrder;
import dev.sluice.sink.control.validation.TableCoverage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/**
 * The progress of a validation, for status and metrics. Written by the thread of the validation,
 * read by any.
 */
final class ProgressReport {
  private final ValidationTuning tuning;
  private volatile ValidationProgress progress = ValidationProgress.NONE;

  ProgressReport(ValidationTuning tuning) {
    this.tuning = tuning;
  }

  ValidationProgress progress() {
    return progress;
  }

  /**
   * Counts a session.
   *
   * @param rows compared in parts of tables
   * @param keys looked up
   */
  void session(long rows, long keys, Duration took) {
    progress =
        new ValidationProgress(
            "",
            progress.sessions() + 1,
            progress.rows() + rows,
            progress.keys() + keys,
            Optional.of(took),
            progress.tables(),
            progress.start());
  }

  /**
   * Publishes the state of the tables.
   *
   * @param waiting why no session runs; empty while one does
   * @param start what the start has restored of an earlier daemon's state, as text
   */
  void publish(String waiting, Collection<TableState> tables, String start, Instant now) {
    TableOrder order = tuning.order();
    Duration delay = tuning.suspendDelay();
    progress =
        new ValidationProgress(
            waiting,
            progress.sessions(),
            progress.rows(),
            progress.keys(),
            progress.lastTook(),
            tables.stream().map(table -> ofTable(table, order, delay, now)).toList(),
            start);
  }

  private static ValidationProgress.OfTable ofTable(
      TableState table, TableOrder order, Duration delay, Instant now) {
    TableCoverage coverage = table.coverage();
    return new ValidationProgress.OfTable(
        table.table(),
        table.state(delay, order.isTooOld(coverage, now), now).text(),
        coverage
            .complete()
            .map(pass -> new ValidationProgress.Read(pass.at(), pass.position(), pass.rows())),
        coverage
            .running()
            .map(pass -> new ValidationProgress.Read(pass.beganAt(), pass.position(), pass.rows())),
        table.followed(),
        table.touched(),
        table.failed(),
        table.rejected(),
        table.pending(delay, now),
        table.suspended(delay, now),
        table.notCompared(),
        table
            .exempt()
            .or(() -> Optional.of(coverage.suspended()).filter(why -> !why.isEmpty()))
            .or(table::problem));
  }
}
