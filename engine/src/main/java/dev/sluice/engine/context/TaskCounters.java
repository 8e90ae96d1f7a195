package dev.sluice.engine.context;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.progress.TableProgress;
import java.util.HashMap;
import java.util.Map;

/** Counters of captured and applied changes since the daemon's start. Immutable. */
public record TaskCounters(
    long captured,
    long transactions,
    long windows,
    long applied,
    long netChanges,
    Map<TableId, TableProgress> tables) {
  public static final TaskCounters NONE = new TaskCounters(0, 0, 0, 0, 0, Map.of());

  public TaskCounters {
    tables = Map.copyOf(tables);
  }

  public TaskCounters plus(CaptureProgress capture) {
    return new TaskCounters(
        captured + capture.changes(),
        transactions + capture.transactions(),
        windows,
        applied,
        netChanges,
        tables);
  }

  public TaskCounters plus(TaskCounters other) {
    Map<TableId, TableProgress> sums = new HashMap<>(tables);
    other.tables.forEach((table, more) -> sums.merge(table, more, TableProgress::plus));
    return new TaskCounters(
        captured + other.captured,
        transactions + other.transactions,
        windows + other.windows,
        applied + other.applied,
        netChanges + other.netChanges,
        sums);
  }

  public TaskCounters plus(ApplyProgress apply) {
    Map<TableId, TableProgress> sums = new HashMap<>(tables);
    apply.tables().forEach((table, more) -> sums.merge(table, more, TableProgress::plus));
    return new TaskCounters(
        captured,
        transactions,
        windows + apply.windows(),
        applied + apply.changes(),
        netChanges + apply.netChanges(),
        sums);
  }
}
