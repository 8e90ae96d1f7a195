package dev.sluice.engine.lane;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.intake.CutValues;
import dev.sluice.sink.intake.MappedColumns;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.lane.TableStarts;
import java.time.Clock;
import java.util.Map;

/**
 * What every lane is started with that runs under one claimed epoch. Immutable.
 *
 * @param kafka client properties
 * @param claimed the checkpoint with the epoch that is held
 * @param journalSchemas the journal's row schemas; they end with the lanes that apply all the time
 * @param schemas the same for who reads changes, which get the target's columns
 * @param starts from which position on each table's changes are to be applied
 * @param news tells each lane when the suspended tables are changed beside its windows
 */
public record LaneContext(
    TaskContext task,
    Map<String, Object> kafka,
    Checkpoint claimed,
    SchemaTopic journalSchemas,
    SchemaLookup schemas,
    TableStarts starts,
    SuspensionChanges news,
    Clock clock) {

  /** With the columns that the task's rules make. */
  static LaneContext of(
      TaskContext task,
      Map<String, Object> kafka,
      Checkpoint claimed,
      SchemaTopic journalSchemas,
      TableStarts starts,
      SuspensionChanges news,
      Clock clock) {
    TableMappings mappings = task.config().tableMappings();
    SchemaLookup cut =
        mappings.lobLimits().cuts()
            ? new CutValues(journalSchemas, mappings.lobLimits(), task.cutCounts())
            : journalSchemas;
    return new LaneContext(
        task,
        kafka,
        claimed,
        journalSchemas,
        mappings.mapsColumns() ? new MappedColumns(cut, mappings.columns()) : cut,
        starts,
        news,
        clock);
  }
}
