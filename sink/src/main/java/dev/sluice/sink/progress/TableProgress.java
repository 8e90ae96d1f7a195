package dev.sluice.sink.progress;

import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.TableErrors;

/**
 * Counts of one source table's changes since the start. Immutable.
 *
 * @param captured changes of the source in the windows applied so far
 * @param applied net changes that were applied to the target
 * @param errors changes that were not applied as they are
 */
public record TableProgress(TableCounters captured, TableCounters applied, TableErrors errors) {
  public static final TableProgress NONE =
      new TableProgress(TableCounters.NONE, TableCounters.NONE, TableErrors.NONE);

  public TableProgress plus(TableProgress more) {
    return new TableProgress(
        captured.plus(more.captured), applied.plus(more.applied), errors.plus(more.errors));
  }
}
