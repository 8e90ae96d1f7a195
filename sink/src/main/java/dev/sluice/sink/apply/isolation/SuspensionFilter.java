package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.sink.replay.PositionedChange;
import java.util.Set;

/**
 * What a pass over a window does not apply, since its table is suspended. Owned by the apply
 * thread.
 *
 * @param suspended tables that were suspended before the window
 * @param verdicts what earlier passes over the window found
 */
record SuspensionFilter(Set<TableId> suspended, IsolationFindings verdicts) {

  /** Whether a change is, as far as it concerns the table. */
  boolean has(TableId table, PositionedChange placed) {
    IsolationFindings.Suspension suspension = verdicts.suspensions().get(table);
    return suspended.contains(table)
        || suspension != null
            && !suspension.table().firstMissing().isAfter(placed.transaction().position());
  }
}
