package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.sink.replay.PositionedChange;
import java.util.Set;

/**
 * Finds the changes that a pass skips because their table is suspended. Owned by the apply thread.
 *
 * @param suspended tables that were suspended before the window
 * @param findings what earlier passes over the window found
 */
record SuspensionFilter(Set<TableId> suspended, IsolationFindings findings) {

  /** True if the change is skipped for this table. */
  boolean has(TableId table, PositionedChange placed) {
    IsolationFindings.Suspension suspension = findings.suspensions().get(table);
    return suspended.contains(table)
        || suspension != null
            && !suspension.table().firstMissing().isAfter(placed.transaction().position());
  }
}
