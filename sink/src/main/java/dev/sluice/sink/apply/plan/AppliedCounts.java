package dev.sluice.sink.apply.plan;

import dev.sluice.config.TableId;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.CapturedChanges;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.TableErrors;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Counters of one attempt to apply a window. Owned by the apply thread. */
public final class AppliedCounts {
  private final Map<TableId, TableCounters> tables = new HashMap<>();
  private final Map<TableId, TableErrors> errors = new HashMap<>();
  private final Map<TableId, Long> bytes = new HashMap<>();
  private long netChanges;

  public void add(TableId source, TableCounters counters) {
    tables.merge(source, counters, TableCounters::plus);
    netChanges += counters.inserts() + counters.updates() + counters.deletes();
  }

  /** Counts a DDL change or a TRUNCATE of the table. */
  public void addDefinition(TableId source) {
    add(source, new TableCounters(0, 0, 0, 1));
  }

  public void add(TableId source, TableErrors counted) {
    errors.merge(source, counted, TableErrors::plus);
  }

  public void addBytes(TableId source, long more) {
    bytes.merge(source, more, Long::sum);
  }

  public void add(AppliedCounts other) {
    other.tables.forEach(this::add);
    other.errors.forEach(this::add);
    other.bytes.forEach(this::addBytes);
  }

  /** Bytes of the rows applied to a table; 0 if they are not counted. */
  public long bytes(TableId source) {
    return bytes.getOrDefault(source, 0L);
  }

  public AppliedWindow applied(long statements, CapturedChanges captured) {
    return new AppliedWindow(netChanges, statements, tables, errors, Optional.of(captured));
  }
}
