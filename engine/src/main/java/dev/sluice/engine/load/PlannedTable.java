package dev.sluice.engine.load;

import dev.sluice.config.AddedColumn;
import dev.sluice.config.RowFilter;
import dev.sluice.config.TableId;
import dev.sluice.config.TableMappings;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.postgres.load.RecordedTable;
import dev.sluice.connector.postgres.load.Segment;
import dev.sluice.connector.postgres.load.Segmentation;
import dev.sluice.sink.checkpoint.LoadedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A table of a load. Immutable.
 *
 * @param recorded what it was before the snapshot was taken
 * @param shape another text once the table was altered on the source, or other rules hold for it
 * @param segments in which it is read
 * @param kept what an attempt before has loaded of it: all; empty where it is to be loaded
 */
public record PlannedTable(
    RecordedTable recorded, String shape, List<Segment> segments, Optional<LoadedTable> kept) {
  public PlannedTable {
    segments = List.copyOf(segments);
  }

  /** To be loaded, in the segments into which it is cut. */
  static PlannedTable of(RecordedTable table, TableMappings mappings, Segmentation cut) {
    return new PlannedTable(table, shapeOf(table, mappings), cut.of(table), Optional.empty());
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
    mappings.definedKey(name).ifPresent(key -> rules.add(List.of(key.name(), key.columns())));
    table.leaves().forEach(leaf -> rules.add(mappings.targetOf(leaf.leaf())));
    rules.add(mappings.filter(name).map(RowFilter::condition));
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
   * @param loaded what the target says of it
   */
  PlannedTable keeping(Optional<LoadedTable> loaded) {
    return new PlannedTable(
        recorded, shape, segments, loaded.filter(each -> each.shape().equals(shape)));
  }
}
