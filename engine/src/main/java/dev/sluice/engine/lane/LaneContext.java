package dev.sluice.engine.lane;

import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.sink.apply.LaneStart;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.intake.CutValues;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.intake.MappedColumns;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.TableStarts;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What all lanes under one claimed epoch share. Immutable.
 *
 * @param kafka properties of Kafka clients
 * @param claimed the checkpoint with the epoch that is held
 * @param journalSchemas the journal's row schemas; closed with the task's lanes
 * @param schemas the same schemas with the target's columns, for readers of changes
 * @param starts the position of each table from which its changes are applied
 * @param news notifies each lane when another thread changes the suspended tables
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

  /** Makes the context, with schemas that truncate and map columns as the task file says. */
  static LaneContext of(
      TaskContext task,
      Map<String, Object> kafka,
      Checkpoint claimed,
      SchemaTopic journalSchemas,
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
        task.loadMarks().starts(),
        news,
        clock);
  }

  /**
   * The start of a lane under the epoch.
   *
   * @param place the journal position from which it continues, as stored on the target
   * @param suspended the tables whose changes it skips
   */
  public LaneStart startOf(Lane lane, JournalOffset place, List<SuspendedTable> suspended) {
    return new LaneStart(claimed, lane, place, Optional.empty(), suspended, news);
  }
}
