package dev.sluice.engine.load.completion;

import dev.sluice.config.settings.DataSize;
import dev.sluice.load.log.CompletionStepStore;

/**
 * Settings of the tables' completion. Immutable.
 *
 * @param journal the store of the steps
 * @param threads number of steps at the same time
 * @param memory for sorting, for each of them
 * @param stopsAtFailure whether a step that the target refuses stops the task; if not, it is
 *     reported and the others continue. A key always stops it
 * @param runsCode whether code of the source's users may run on the target with the loader's rights
 */
public record CompletionSettings(
    CompletionStepStore journal,
    int threads,
    DataSize memory,
    boolean stopsAtFailure,
    boolean runsCode) {

  /** The same settings, but a failed step does not stop the task. */
  public CompletionSettings goingOn() {
    return new CompletionSettings(journal, threads, memory, false, runsCode);
  }
}
