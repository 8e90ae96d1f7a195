package dev.sluice.engine.load.completion;

import dev.sluice.config.settings.DataSize;
import dev.sluice.load.log.CompletionStepStore;

/**
 * How tables are completed. Immutable.
 *
 * @param journal where the steps are kept
 * @param threads steps made at the same time
 * @param memory that each of them may sort in
 * @param stopsAtFailure whether a step that the target refuses stops the task; else it is named and
 *     the others go on. A key always stops it
 * @param runsCode whether code that the source's users chose may run on the target as the loader
 */
public record CompletionSettings(
    CompletionStepStore journal,
    int threads,
    DataSize memory,
    boolean stopsAtFailure,
    boolean runsCode) {

  /** The same where nothing is stopped any more. */
  public CompletionSettings goingOn() {
    return new CompletionSettings(journal, threads, memory, false, runsCode);
  }
}
