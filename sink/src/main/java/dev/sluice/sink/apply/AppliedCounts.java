package dev.sluice.sink.apply;

import dev.sluice.config.TableId;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.TableCounters;
import java.util.HashMap;
import java.util.Map;

/** Counts what one attempt at a window does. Owned by the apply thread. */
final class AppliedCounts {
  private final Map<TableId, TableCounters> tables = new HashMap<>();
  private long netChanges;

  void add(TableId source, TableCounters counters) {
    tables.merge(source, counters, TableCounters::plus);
    netChanges += counters.inserts() + counters.updates() + counters.deletes();
  }

  AppliedWindow applied(long statements) {
    return new AppliedWindow(netChanges, statements, tables);
  }
}
