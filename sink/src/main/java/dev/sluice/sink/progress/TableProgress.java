package dev.sluice.sink.progress;

import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.TableErrors;

/**
 * Changes of one source table since the start. Immutable.
 *
 * @param captured what the source did, in the windows applied so far
 * @param applied what was left to be done on the target
 * @param errors what was not applied as it is
 */
public record TableProgress(TableCounters captured, TableCounters applied, TableErrors errors) {
  public static final TableProgress NONE =
      new TableProgress(TableCounters.NONE, TableCounters.NONE, TableErrors.NONE);

  public TableProgress plus(TableProgress more) {
    return new TableProgress(
        captured.plus(more.captured), applied.plus(more.applied), errors.plus(more.errors));
  }
}
