package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.load.RecordedTable;
import dev.sluice.connector.postgres.load.Segment;
import dev.sluice.load.log.LoadedPart;
import dev.sluice.load.log.LoadedTable;
import dev.sluice.load.log.SegmentToLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
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
   * The same tables, without what an attempt before has loaded: whole tables, and segments. A table
   * that was altered, renamed or made anew since is loaded again: what the log tells of that comes
   * before its new start, and is passed over with its changes.
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

  /** Those that an attempt before has loaded. */
  public List<LoadedTable> kept() {
    return tables.stream().flatMap(table -> table.kept().stream()).toList();
  }

  /** Those of which an attempt before has loaded segments that are kept. */
  public List<LoadedPart> parts() {
    return tables.stream().flatMap(table -> table.part().stream()).toList();
  }

  /** Whether all is to be loaded. */
  public boolean keepsNothing() {
    return kept().isEmpty() && parts().isEmpty();
  }

  /** The tables that are not whole. */
  public LoadPlan missing() {
    return only(table -> table.kept().isEmpty());
  }

  /** The tables of which nothing is kept. */
  LoadPlan anew() {
    return only(table -> table.kept().isEmpty() && table.part().isEmpty());
  }

  /** The tables of which segments are kept. */
  List<PlannedTable> inParts() {
    return tables.stream().filter(table -> table.part().isPresent()).toList();
  }

  private LoadPlan only(Predicate<PlannedTable> which) {
    return new LoadPlan(tables.stream().filter(which).toList());
  }

  /** All segments that are to be loaded, as the target is to remember them. */
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
                table.fileNode(segment),
                false));
      }
    }
    return all;
  }

  List<RecordedTable> recorded() {
    return tables.stream().map(PlannedTable::recorded).toList();
  }

  /** The segments that are to be loaded, in load order. */
  List<Segment> segments() {
    return tables.stream().flatMap(table -> table.missing().stream()).toList();
  }

  /** About how large the tables are together. */
  public long bytes() {
    return tables.stream().mapToLong(table -> table.recorded().bytes()).sum();
  }
}
