package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.LobCut;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RecordedTables;
import dev.sluice.load.TargetTables;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines for each table what is copied: the columns on both sides, the rows that pass its
 * filter, and where values are truncated. Immutable.
 */
final class LoadLayouts {
  private static final Logger LOG = LoggerFactory.getLogger(LoadLayouts.class);

  private final TargetServer target;
  private final TableMappings mappings;
  private final boolean binary;

  /**
   * @param binary whether the source can write rows in the binary format
   */
  LoadLayouts(TargetServer target, TableMappings mappings, boolean binary) {
    this.target = target;
    this.mappings = mappings;
    this.binary = binary && LoadDialects.of(target.dialect()).takesBinary();
  }

  /** The layouts, by the current columns of the target tables. */
  Map<TableId, CopyLayout> of(LoadPlan plan) {
    try (TargetConnection connection = target.borrow()) {
      Map<TableId, List<TableColumn>> columns =
          new TargetTables(connection)
              .columns(plan.names().stream().map(mappings::targetOf).toList());
      Map<TableId, CopyLayout> layouts = new LinkedHashMap<>();
      for (RecordedTable table : plan.recorded()) {
        layouts.put(table.table(), of(table, columns.get(mappings.targetOf(table.table()))));
      }
      return layouts;
    }
  }

  private CopyLayout of(RecordedTable table, List<TableColumn> onTarget) {
    Optional<RowFilter> filter = filter(table);
    filter.ifPresent(rows -> LOG.info("table {}: loads only the rows of {}", table.table(), rows));
    CopyLayout layout =
        CopyLayout.between(
                table.columns(),
                onTarget,
                column -> mappings.columns().of(table.table(), column),
                filter,
                // A view has no changes that would need its key.
                !table.key().isEmpty() || table.isView())
            .cutting(
                LobCut.of(table.columns(), table.key(), mappings.lobLimits().of(table.table())));
    CopyLayout written = binary ? layout : layout.asText();
    return table.isView() ? written.ofView() : written;
  }

  /** The expected sizes of the rows that pass the filters, by the source's catalog. */
  static Map<TableId, LoadExpectation> expectations(RecordedTables recorded) {
    Map<TableId, LoadExpectation> found = new HashMap<>();
    for (RecordedTable table : recorded.tables()) {
      Long estimate = recorded.rows().get(table.table());
      found.put(
          table.table(),
          new LoadExpectation(
              estimate == null ? OptionalLong.empty() : OptionalLong.of(estimate), table.bytes()));
    }
    return Map.copyOf(found);
  }

  /** The condition of a table's rows that are loaded; empty: all. */
  Optional<String> condition(RecordedTable table) {
    return filter(table).map(RowFilter::condition);
  }

  private Optional<RowFilter> filter(RecordedTable table) {
    return table.ruledBy(mappings).filter(table.table());
  }
}
