package dev.sluice.sink.apply.round;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.window.TableCounters;

/** A change of a batch in the source's order, with the plan of its table. Immutable. */
record OrderedChange(TablePlan plan, RowChange change) {
  private static final TableCounters INSERTED = new TableCounters(1, 0, 0, 0);
  private static final TableCounters UPDATED = new TableCounters(0, 1, 0, 0);
  private static final TableCounters DELETED = new TableCounters(0, 0, 1, 0);

  TableCounters counters() {
    if (change.row() == null) {
      return DELETED;
    }
    return change.match() == null ? INSERTED : UPDATED;
  }
}
