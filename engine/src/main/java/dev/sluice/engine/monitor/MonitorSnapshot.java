package dev.sluice.engine.monitor;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.engine.journal.JournalUpkeep;
import dev.sluice.engine.load.LoadPace;
import dev.sluice.sink.lane.LaneId;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The monitor's last measurements. Immutable.
 *
 * @param load progress of the full load; without tables if this daemon made none
 * @param sourceLag how far the journal is behind the source; empty if nothing is captured
 * @param targetLag how far the target is behind the source; empty if no changes are applied
 * @param laneLags the same for each lane
 * @param sourceEnd the end of the source's log; empty before it is read
 * @param retention empty before it is read, and for a task that keeps no log
 * @param journal empty before it is measured
 * @param updated when changes of a table were last seen on the target
 */
public record MonitorSnapshot(
    double capturedPerSecond,
    double appliedPerSecond,
    double loadedPerSecond,
    LoadPace.Report load,
    Optional<Duration> sourceLag,
    Optional<Duration> targetLag,
    Map<LaneId, Duration> laneLags,
    Optional<Position> sourceEnd,
    Optional<RetentionState> retention,
    Optional<JournalUpkeep.Extent> journal,
    DiskGuards.Report guards,
    Map<TableId, Instant> updated) {
  public static final MonitorSnapshot NOTHING =
      new MonitorSnapshot(
          0,
          0,
          0,
          LoadPace.Report.NOTHING,
          Optional.empty(),
          Optional.empty(),
          Map.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          DiskGuards.Report.NOTHING,
          Map.of());
}
