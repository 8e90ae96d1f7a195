package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.AddedColumn;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.RecordedLeaf;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.load.log.LoadedPart;
import dev.sluice.load.log.LoadedSegment;
import dev.sluice.load.log.LoadedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A table or view of a load. Immutable.
 *
 * @param recorded its definition before the snapshot
 * @param loadOrder tables with a higher one are loaded before it
 * @param shape differs once the table was altered on the source, or its rules were changed
 * @param segments in which it is read
 * @param kept the complete table of an earlier attempt; empty if something is to be loaded
 * @param part the segments of an earlier attempt; empty if it loaded all or none
 */
public record PlannedTable(
    RecordedTable recorded,
    int loadOrder,
    String shape,
    List<Segment> segments,
    Optional<LoadedTable> kept,
    Optional<LoadedPart> part) {
  public PlannedTable {
    segments = List.copyOf(segments);
  }

  /** A table to be loaded completely. */
  static PlannedTable of(RecordedTable table, TableMappings mappings, List<Segment> segments) {
    return new PlannedTable(
        table,
        table.ruledBy(mappings).loadOrder(table.table()).orElse(0),
        shapeOf(table, mappings),
        segments,
        Optional.empty(),
        Optional.empty());
  }

  /**
   * The shape. It includes the mappings, which also determine columns and rows on the target.
   *
   * @return a short text, equal if definition and mappings of the table are equal
   */
  private static String shapeOf(RecordedTable table, TableMappings mappings) {
    TableId name = table.table();
    List<Object> rules = new ArrayList<>();
    for (TableColumn column : table.columns()) {
      rules.add(mappings.columns().of(name, column.name()));
      rules.add(mappings.columns().typeOf(name, column.name()));
    }
    for (AddedColumn added : mappings.addedColumns(name)) {
      String expression =
          added.expression().sql(name, column -> mappings.columns().orSame(name, column));
      rules.add(List.of(added.name(), added.type(), expression));
    }
    BeforeColumn.of(table, mappings).forEach(before -> rules.add(before.name()));
    mappings.definedKey(name).ifPresent(key -> rules.add(List.of(key.name(), key.columns())));
    mappings.consolidation(name).ifPresent(rules::add);
    table.leaves().forEach(leaf -> rules.add(mappings.targetOf(leaf.leaf())));
    rules.add(table.ruledBy(mappings).filter(name).map(RowFilter::condition));
    rules.add(mappings.lobLimits().of(name));
    return table.shape(rules) + " into " + mappings.targetOf(name);
  }

  /** Its name on the source. */
  TableId table() {
    return recorded.table();
  }

  /**
   * Returns the table with what an earlier attempt has loaded, if the table is unchanged since.
   *
   * @param whole the record on the target, if the table is complete there
   * @param segments the record on the target, if some of its segments are complete
   */
  PlannedTable keeping(Optional<LoadedTable> whole, Optional<LoadedPart> segments) {
    return new PlannedTable(
        recorded,
        loadOrder,
        shape,
        this.segments,
        whole.filter(each -> each.shape().equals(shape)),
        segments.filter(this::isAsItWas));
  }

  /** The segments to load. */
  List<Segment> missing() {
    if (kept.isPresent()) {
      return List.of();
    }
    return segments.stream()
        .filter(segment -> part.isEmpty() || !part.get().has(segment.number()))
        .toList();
  }

  /** The kept segments of an earlier attempt. */
  List<Segment> loaded() {
    return part.isEmpty()
        ? List.of()
        : segments.stream().filter(segment -> part.get().has(segment.number())).toList();
  }

  /**
   * Whether its segments can be kept one by one. Which rows a segment has must depend only on their
   * values, not on their location on disk. A row that was changed since must be found by its key,
   * with an equality that every session has.
   */
  boolean isKeptInParts() {
    return segments.size() > 1
        && segments.stream().allMatch(segment -> segment.rows().isByValue())
        && !recorded.key().isEmpty()
        && recorded.columns().stream()
            .filter(column -> recorded.key().contains(column.name()))
            .noneMatch(column -> column.type().contains("."));
  }

  /** What stores the rows of a segment's leaf on the source; 0 if unknown. */
  long storageOf(Segment segment) {
    return recorded.leaves().stream()
        .filter(leaf -> leaf.leaf().equals(segment.leaf()))
        .mapToLong(RecordedLeaf::storage)
        .findFirst()
        .orElse(0);
  }

  /* All segments must be unchanged, not only the complete ones: only then have the others left no
   * rows on the target.
   */
  private boolean isAsItWas(LoadedPart loaded) {
    if (!isKeptInParts()
        || !loaded.shape().equals(shape)
        || loaded.segments().size() != segments.size()) {
      return false;
    }
    for (int i = 0; i < segments.size(); i++) {
      LoadedSegment before = loaded.segments().get(i);
      Segment now = segments.get(i);
      if (before.number() != now.number()
          || !before.rows().equals(now.rows().toString())
          || before.fileNode() != storageOf(now)) {
        return false;
      }
    }
    return true;
  }
}
