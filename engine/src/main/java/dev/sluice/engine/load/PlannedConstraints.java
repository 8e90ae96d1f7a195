package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.engine.load.completion.CompletionSettings;
import dev.sluice.engine.load.completion.ConstraintCompletion;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.load.MadeTables;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetServer;
import java.util.List;
import java.util.function.Supplier;

/**
 * The constraints and triggers that come when nothing more is applied, as the target makes them: by
 * the source's statements, or by its own where it has types of its own. Stateless.
 */
public final class PlannedConstraints {
  private PlannedConstraints() {}

  /**
   * Plans them, unless they are planned already, and starts to make them.
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
        () -> read(source, target, tables, mappings, settings.runsCode()),
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
  public static List<CompletionStep> read(
      SourceReader source,
      TargetServer target,
      List<TableId> tables,
      TableMappings mappings,
      boolean runsCode) {
    return question(source, target, tables, mappings, runsCode).get();
  }

  /**
   * The same as a question that asks only the source, where the target has no types of its own: the
   * target is asked before.
   */
  public static Supplier<List<CompletionStep>> question(
      SourceReader source,
      TargetServer target,
      List<TableId> tables,
      TableMappings mappings,
      boolean runsCode) {
    if (MadeTables.areOf(target.dialect())) {
      return () -> OutlinedTables.constraints(source, target, tables, mappings);
    }
    int version = ConstraintCompletion.majorVersion(target);
    return () -> ConstraintCompletion.read(source, version, tables, mappings, runsCode);
  }
}
