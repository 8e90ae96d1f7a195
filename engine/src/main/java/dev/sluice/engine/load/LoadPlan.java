package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.load.RecordedTable;
import dev.sluice.connector.postgres.load.Segment;
import dev.sluice.sink.checkpoint.LoadedTable;
import dev.sluice.sink.checkpoint.SegmentToLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The tables of a load as they were before the slot was created, in the order in which they are to
 * be loaded. Immutable.
 */
public record LoadPlan(List<PlannedTable> tables) {
  public LoadPlan {
    tables = List.copyOf(tables);
  }

  /**
   * The same tables, without those to be loaded again that an attempt before has loaded whole. One
   * that was altered, renamed or made anew since is loaded again: what the log tells of that comes
   * before its new start, and is passed over with its changes.
   */
  public LoadPlan keeping(List<LoadedTable> loaded) {
    Map<TableId, LoadedTable> byName =
        loaded.stream().collect(Collectors.toMap(LoadedTable::table, Function.identity()));
    return new LoadPlan(
        tables.stream()
            .map(table -> table.keeping(Optional.ofNullable(byName.get(table.table()))))
            .toList());
  }

  /** The tables' names on the source, in load order. */
  public List<TableId> names() {
    return tables.stream().map(PlannedTable::table).toList();
  }

  /** Those that an attempt before has loaded. */
  public List<LoadedTable> kept() {
    return tables.stream().flatMap(table -> table.kept().stream()).toList();
  }

  /** What is to be loaded. */
  public LoadPlan missing() {
    return new LoadPlan(tables.stream().filter(table -> table.kept().isEmpty()).toList());
  }

  /** All segments that are to be loaded, as the target is to remember them. */
  public List<SegmentToLoad> segmentsToLoad() {
    List<SegmentToLoad> all = new ArrayList<>();
    for (PlannedTable table : missing().tables()) {
      if (table.segments().isEmpty()) {
        all.add(new SegmentToLoad(table.table(), 0, "no partition", table.shape(), true));
      }
      for (Segment segment : table.segments()) {
        all.add(
            new SegmentToLoad(
                table.table(), segment.number(), segment.rows().toString(), table.shape(), false));
      }
    }
    return all;
  }

  List<RecordedTable> recorded() {
    return tables.stream().map(PlannedTable::recorded).toList();
  }

  /** All segments in load order. */
  List<Segment> segments() {
    return tables.stream().flatMap(table -> table.segments().stream()).toList();
  }

  /** About how large the tables are together. */
  public long bytes() {
    return tables.stream().mapToLong(table -> table.recorded().bytes()).sum();
  }
}
