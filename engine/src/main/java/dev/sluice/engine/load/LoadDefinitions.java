package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.load.TargetTables;
import dev.sluice.sink.target.TargetConnection;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * The definitions by which a load creates the target's tables, as the target is to have them. Owned
 * by the thread that loads.
 *
 * @param runsCode whether code of the source's users may run on the target
 */
record LoadDefinitions(SourceReader source, TableMappings mappings, boolean runsCode) {

  /**
   * Reads them from the source.
   *
   * @param dropped the tables that they replace
   */
  TableDefinitions of(LoadPlan plan, List<TableId> dropped, TargetConnection connection) {
    TableDefinitions definitions =
        source.definitions(
            new DefinitionRequest(
                plan.names(),
                mappings::targetOf,
                connection.majorVersion(),
                runsCode,
                new TargetTables(connection).namesBeside(dropped),
                adapted(plan)));
    return mappings.mapsColumns()
        ? AdaptedTables.of(definitions, plan.recorded(), mappings)
        : definitions;
  }

  /**
   * The tables that are altered once they are made, where a generated column would be in the way.
   */
  private BiPredicate<TableId, String> adapted(LoadPlan plan) {
    Set<TableId> adapted =
        plan.recorded().stream()
            .filter(
                table ->
                    !mappings.keepsColumns(
                        table.table(), table.columns().stream().map(TableColumn::name).toList()))
            .map(RecordedTable::table)
            .collect(Collectors.toSet());
    return (table, column) -> adapted.contains(table);
  }
}
