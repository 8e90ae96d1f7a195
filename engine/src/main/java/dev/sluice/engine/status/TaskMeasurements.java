package dev.sluice.engine.status;

import dev.sluice.sink.progress.WindowFigures;
import dev.sluice.sink.sorter.SpillCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the metrics show beyond the status. Counted from the daemon's start; no counter falls while
 * it runs. Immutable.
 *
 * @param phases of all tasks, in lower case with dashes
 * @param problems that the task has now
 * @param windows that were applied
 * @param filling how long windows were filled
 * @param spilled transactions that went to swap
 * @param journalBytes bytes written to the journal
 * @param loaded what full loads have copied
 * @param comparisons sessions of the validation
 * @param comparedRows rows that they have compared
 * @param sourceCommit when the source committed what the journal got last; empty before the first
 * @param targetCommit when the source committed what was applied last; empty before the first
 */
public record TaskMeasurements(
    List<String> phases,
    Set<ProblemKind> problems,
    WindowFigures windows,
    Duration filling,
    SpillCounts spilled,
    long journalBytes,
    LoadedRows loaded,
    long comparisons,
    long comparedRows,
    Optional<Instant> sourceCommit,
    Optional<Instant> targetCommit) {
  public static final TaskMeasurements NONE =
      new TaskMeasurements(
          List.of(),
          Set.of(),
          WindowFigures.NONE,
          Duration.ZERO,
          SpillCounts.NONE,
          0,
          LoadedRows.NONE,
          0,
          0,
          Optional.empty(),
          Optional.empty());

  public TaskMeasurements {
    phases = List.copyOf(phases);
    problems = Set.copyOf(problems);
  }
}
