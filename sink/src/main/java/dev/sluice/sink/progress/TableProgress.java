package dev.sluice.sink.progress;

import dev.sluice.sink.window.TableCounters;

/**
 * Changes of one source table since the start. Immutable.
 *
 * @param captured what the source did, in the windows applied so far
 * @param applied what was left to be done on the target
 */
public record TableProgress(TableCounters captured, TableCounters applied) {
  public static final TableProgress NONE =
      new TableProgress(TableCounters.NONE, TableCounters.NONE);

  public TableProgress plus(TableCounters moreCaptured, TableCounters moreApplied) {
    return new TableProgress(captured.plus(moreCaptured), applied.plus(moreApplied));
  }
}
