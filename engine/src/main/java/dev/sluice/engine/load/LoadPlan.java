package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RecordedTables;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.load.log.LoadedPart;
import dev.sluice.load.log.LoadedTable;
import dev.sluice.load.log.SegmentToLoad;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The tables of a load in load order, as they were before the slot was created. Immutable. */
public record LoadPlan(List<PlannedTable> tables) {
  public LoadPlan {
    tables = List.copyOf(tables);
  }

  /**
   * A plan to load all tables: the highest load order first, then the largest, so that no large
   * table is left for the end.
   */
  static LoadPlan of(RecordedTables recorded, TableMappings mappings) {
    return new LoadPlan(
        recorded.tables().stream()
            .map(table -> PlannedTable.of(table, mappings, recorded.segments().get(table.table())))
            .sorted(
                Comparator.comparingInt(PlannedTable::loadOrder)
                    .thenComparingLong(table -> table.recorded().bytes())
                    .reversed())
            .toList());
  }

  /**
   * Returns the plan without what an earlier attempt has loaded: complete tables and segments. A
   * table that was altered, renamed or created again since is loaded again. Its DDL in the log
   * comes before its new start, and is skipped with its changes.
   */
  public LoadPlan keeping(List<LoadedTable> whole, List<LoadedPart> parts) {
    Map<TableId, LoadedTable> wholeByName =
        whole.stream().collect(Collectors.toMap(LoadedTable::table, Function.identity()));
    Map<TableId, LoadedPart> partByName =
        parts.stream().collect(Collectors.toMap(LoadedPart::table, Function.identity()));
    return new LoadPlan(
        tables.stream()
            .map(
                table ->
                    table.keeping(
                        Optional.ofNullable(wholeByName.get(table.table())),
                        Optional.ofNullable(partByName.get(table.table()))))
            .toList());
  }

  /** The tables' names on the source, in load order. */
  public List<TableId> names() {
    return tables.stream().map(PlannedTable::table).toList();
  }

  /** The complete tables of an earlier attempt, which are kept. */
  public List<LoadedTable> kept() {
    return tables.stream().flatMap(table -> table.kept().stream()).toList();
  }

  /** The tables of which segments of an earlier attempt are kept. */
  public List<LoadedPart> parts() {
    return tables.stream().flatMap(table -> table.part().stream()).toList();
  }

  /** Whether everything is to be loaded. */
  public boolean keepsNothing() {
    return kept().isEmpty() && parts().isEmpty();
  }

  /** The tables that are not complete. */
  public LoadPlan missing() {
    return only(table -> table.kept().isEmpty());
  }

  /** The tables of which nothing is kept. */
  LoadPlan fromScratch() {
    return only(table -> table.kept().isEmpty() && table.part().isEmpty());
  }

  /** The tables of which segments are kept. */
  List<PlannedTable> inParts() {
    return tables.stream().filter(table -> table.part().isPresent()).toList();
  }

  private LoadPlan only(Predicate<PlannedTable> which) {
    return new LoadPlan(tables.stream().filter(which).toList());
  }

  /** All segments to load, as they are recorded on the target. */
  public List<SegmentToLoad> segmentsToLoad() {
    List<SegmentToLoad> all = new ArrayList<>();
    for (PlannedTable table : missing().tables()) {
      if (table.segments().isEmpty()) {
        all.add(new SegmentToLoad(table.table(), 0, "no partition", table.shape(), 0, true));
      }
      for (Segment segment : table.missing()) {
        all.add(
            new SegmentToLoad(
                table.table(),
                segment.number(),
                segment.rows().toString(),
                table.shape(),
                table.storageOf(segment),
                false));
      }
    }
    return all;
  }

  List<RecordedTable> recorded() {
    return tables.stream().map(PlannedTable::recorded).toList();
  }

  /** The segments to load, in load order. */
  List<Segment> segments() {
    return tables.stream().flatMap(table -> table.missing().stream()).toList();
  }

  /** The approximate size of all tables. */
  public long bytes() {
    return tables.stream().mapToLong(table -> table.recorded().bytes()).sum();
  }
}
