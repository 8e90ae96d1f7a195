package dev.sluice.engine.context;

import dev.sluice.config.TableId;
import dev.sluice.config.retry.RetriedWork;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.progress.IntakeProgress;
import dev.sluice.sink.progress.TableProgress;
import dev.sluice.sink.progress.WindowFigures;
import dev.sluice.sink.sorter.SpillCounts;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Counters of captured and applied changes since the daemon's start. Immutable.
 *
 * @param captured row changes written to the journal
 * @param transactions of the source, with changes, written to the journal
 * @param journalBytes bytes written to the journal
 * @param windows applied
 * @param applied row changes of those windows, before compaction
 * @param netChanges net changes of those windows
 * @param figures what metrics show of those windows
 * @param spilled transactions that went to swap
 * @param filling how long windows were filled
 * @param compared what the validation has compared
 * @param tables by source table
 */
public record TaskCounters(
    long captured,
    long transactions,
    long journalBytes,
    long windows,
    long applied,
    long netChanges,
    WindowFigures figures,
    SpillCounts spilled,
    Duration filling,
    ComparisonTotals compared,
    Map<TableId, TableProgress> tables) {
  public static final TaskCounters NONE =
      new TaskCounters(
          0,
          0,
          0,
          0,
          0,
          0,
          WindowFigures.NONE,
          SpillCounts.NONE,
          Duration.ZERO,
          ComparisonTotals.NONE,
          Map.of());

  public TaskCounters {
    tables = Map.copyOf(tables);
  }

  public TaskCounters plus(TaskCounters other) {
    Map<TableId, TableProgress> sums = new HashMap<>(tables);
    other.tables.forEach((table, more) -> sums.merge(table, more, TableProgress::plus));
    return new TaskCounters(
        captured + other.captured,
        transactions + other.transactions,
        journalBytes + other.journalBytes,
        windows + other.windows,
        applied + other.applied,
        netChanges + other.netChanges,
        figures.plus(other.figures),
        spilled.plus(other.spilled),
        filling.plus(other.filling),
        compared.plus(other.compared),
        sums);
  }

  public TaskCounters plus(CaptureProgress capture) {
    return plus(
        new TaskCounters(
            capture.changes(),
            capture.transactions(),
            capture.bytes(),
            0,
            0,
            0,
            WindowFigures.NONE,
            SpillCounts.NONE,
            Duration.ZERO,
            ComparisonTotals.NONE,
            Map.of()));
  }

  public TaskCounters plus(ApplyProgress apply) {
    return plus(
        new TaskCounters(
            0,
            0,
            0,
            apply.windows(),
            apply.changes(),
            apply.netChanges(),
            apply.figures(),
            SpillCounts.NONE,
            Duration.ZERO,
            ComparisonTotals.NONE,
            apply.tables()));
  }

  public TaskCounters plus(IntakeProgress intake) {
    return with(
        figures,
        spilled.plus(intake.transactionsSpilled()),
        filling.plus(intake.filling()),
        compared);
  }

  public TaskCounters plus(ComparisonTotals more) {
    return with(figures, spilled, filling, compared.plus(more));
  }

  /** The same with one more retry. */
  public TaskCounters retried(RetriedWork work) {
    return with(figures.retried(work), spilled, filling, compared);
  }

  private TaskCounters with(
      WindowFigures nextFigures,
      SpillCounts nextSpilled,
      Duration nextFilling,
      ComparisonTotals next) {
    return new TaskCounters(
        captured,
        transactions,
        journalBytes,
        windows,
        applied,
        netChanges,
        nextFigures,
        nextSpilled,
        nextFilling,
        next,
        tables);
  }
}
