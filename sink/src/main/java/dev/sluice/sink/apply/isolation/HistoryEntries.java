package dev.sluice.sink.apply.isolation;

import dev.sluice.config.TableId;
import dev.sluice.sink.apply.isolation.ChangeHistory.Entry;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.CapturedChanges;
import dev.sluice.sink.window.TableCounters;
import dev.sluice.sink.window.TableErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/** Builds the history entries of a window: one for each table and one with the sums. Stateless. */
public final class HistoryEntries {
  private static final TableId ALL = new TableId("", "");

  private HistoryEntries() {}

  public static List<Entry> of(AppliedWindow window, ToLongFunction<TableId> bytesOf) {
    Map<TableId, TableCounters> captured =
        window.captured().map(CapturedChanges::tables).orElse(Map.of());
    Set<TableId> tables = new TreeSet<>(captured.keySet());
    tables.addAll(window.tables().keySet());
    tables.addAll(window.errors().keySet());
    List<Entry> entries = new ArrayList<>();
    Entry sum = new Entry(ALL, TableCounters.NONE, TableCounters.NONE, 0, 0, 0, 0);
    for (TableId table : tables) {
      TableErrors errors = window.errors().getOrDefault(table, TableErrors.NONE);
      Entry entry =
          new Entry(
              table,
              captured.getOrDefault(table, TableCounters.NONE),
              window.tables().getOrDefault(table, TableCounters.NONE),
              bytesOf.applyAsLong(table),
              errors.conflicts(),
              errors.upserts(),
              errors.suspended());
      entries.add(entry);
      sum = sum(sum, entry);
    }
    entries.add(sum);
    return entries;
  }

  private static Entry sum(Entry one, Entry other) {
    return new Entry(
        ALL,
        one.captured().plus(other.captured()),
        one.applied().plus(other.applied()),
        one.bytes() + other.bytes(),
        one.conflicts() + other.conflicts(),
        one.upserts() + other.upserts(),
        one.suspended() + other.suspended());
  }
}
