package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.engine.load.completion.CompletionSettings;
import dev.sluice.engine.load.completion.ConstraintCompletion;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.load.MadeTables;
import dev.sluice.load.TargetTables;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The constraints and triggers that are created when no more changes are applied: by the source's
 * statements, or by the target's own if it has its own types. Immutable.
 *
 * @param majorVersion of the target's server
 * @param generated the columns that the target computes, by its names of the tables
 */
public record PlannedConstraints(
    TargetServer target,
    TableMappings mappings,
    int majorVersion,
    Map<TableId, Set<String>> generated) {

  /**
   * Reads from the target what is needed, so that {@link #read} uses only the source.
   *
   * @param tables names on the source
   */
  public static PlannedConstraints on(
      TargetServer target, List<TableId> tables, TableMappings mappings) {
    try (TargetConnection connection = target.borrow()) {
      Map<TableId, Set<String>> generated =
          MadeTables.areOf(target.dialect())
              ? Map.of()
              : new TargetTables(connection)
                  .generatedColumns(tables.stream().map(mappings::targetOf).toList());
      return new PlannedConstraints(target, mappings, connection.majorVersion(), generated);
    }
  }

  /**
   * Plans them, unless they are already planned, and starts to create them.
   *
   * @param tables names on the source
   * @param fence keeps a superseded daemon from planning them
   */
  public static TableCompletion begin(
      SourceReader source,
      TargetServer target,
      List<TableId> tables,
      TableMappings mappings,
      CompletionSettings settings,
      EpochFence fence) {
    return ConstraintCompletion.begin(
        () -> on(target, tables, mappings).read(source, tables, settings.runsCode()),
        target,
        tables.stream().map(mappings::targetOf).toList(),
        settings,
        fence);
  }

  /**
   * Reads them from the source.
   *
   * @param tables names on the source
   * @param runsCode whether code of the source's users may run on the target
   */
  public List<CompletionStep> read(SourceReader source, List<TableId> tables, boolean runsCode) {
    return MadeTables.areOf(target.dialect())
        ? OutlinedTables.constraints(source, target, tables, mappings)
        : ConstraintCompletion.read(
            source,
            new DefinitionRequest(
                tables, mappings::targetOf, majorVersion, runsCode, Set.of(), this::isOrdinary),
            mappings);
  }

  private boolean isOrdinary(TableId table, String column) {
    Set<String> columns = generated.getOrDefault(mappings.targetOf(table), Set.of());
    return mappings.columns().of(table, column).filter(columns::contains).isEmpty();
  }
}
