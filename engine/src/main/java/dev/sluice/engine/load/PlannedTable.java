package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.AddedColumn;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.postgres.load.RecordedLeaf;
import dev.sluice.connector.postgres.load.RecordedTable;
import dev.sluice.connector.postgres.load.Segment;
import dev.sluice.connector.postgres.load.SegmentRange;
import dev.sluice.connector.postgres.load.Segmentation;
import dev.sluice.load.log.LoadedPart;
import dev.sluice.load.log.LoadedSegment;
import dev.sluice.load.log.LoadedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A table or view of a load. Immutable.
 *
 * @param recorded what it was before the snapshot was taken
 * @param loadOrder tables with a higher one come before it
 * @param shape another text once the table was altered on the source, or other rules hold for it
 * @param segments in which it is read
 * @param kept what an attempt before has loaded of it: all; empty where something is to be loaded
 * @param part what an attempt before has loaded of it: some segments; empty where all or none
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

  /** To be loaded, in the segments into which it is cut. */
  static PlannedTable of(RecordedTable table, TableMappings mappings, Segmentation cut) {
    return new PlannedTable(
        table,
        table.ruledBy(mappings).loadOrder(table.table()).orElse(0),
        shapeOf(table, mappings),
        cut.of(table),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * What of the rows is loaded, and what the table is to be, hangs on the mappings as well.
   *
   * @return short, and the same wherever the mappings say the same for the table
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
   * The same table, kept where it was loaded as it still is.
   *
   * @param whole what the target says of it, where it is whole there
   * @param segments what the target says of it, where some of its segments are
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

  /** The segments that are to be loaded. */
  List<Segment> missing() {
    if (kept.isPresent()) {
      return List.of();
    }
    return segments.stream()
        .filter(segment -> part.isEmpty() || !part.get().has(segment.number()))
        .toList();
  }

  /** The segments that an attempt before has loaded of a table that is not whole. */
  List<Segment> loaded() {
    return part.isEmpty()
        ? List.of()
        : segments.stream().filter(segment -> part.get().has(segment.number())).toList();
  }

  /**
   * Whether its segments can be kept one by one. Which rows a segment has must hang on the rows
   * alone, and not on where they lie; and a row that was changed since must be found again by a
   * key, with an equality that every session knows.
   */
  boolean isKeptInParts() {
    return segments.size() > 1
        && segments.stream().noneMatch(segment -> segment.rows() instanceof SegmentRange.Pages)
        && !recorded.key().isEmpty()
        && recorded.columns().stream()
            .filter(column -> recorded.key().contains(column.name()))
            .noneMatch(column -> column.type().contains("."));
  }

  /** The source's file in which the rows of a segment are. */
  long fileNode(Segment segment) {
    return recorded.leaves().stream()
        .filter(leaf -> leaf.leaf().equals(segment.leaf()))
        .mapToLong(RecordedLeaf::fileNode)
        .findFirst()
        .orElse(0);
  }

  /*
   * All segments must be what they were, not only those that are done: the others have left nothing
   * on the target only where they were to be kept one by one even then.
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
          || before.fileNode() != fileNode(now)) {
        return false;
      }
    }
    return true;
  }
}
