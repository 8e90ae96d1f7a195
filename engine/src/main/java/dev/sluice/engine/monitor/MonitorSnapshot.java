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
 * @param sourceLag how far the journal is behind the source
 * @param targetLag how far the target is behind the source
 * @param laneLags the same for each lane
 * @param updated when changes of a table were last seen on the target
 */
public record MonitorSnapshot(
    double capturedPerSecond,
    double appliedPerSecond,
    double loadedPerSecond,
    LoadPace.Picture load,
    Duration sourceLag,
    Duration targetLag,
    Map<LaneId, Duration> laneLags,
    Position sourceEnd,
    Optional<RetentionState> retention,
    JournalUpkeep.Extent journal,
    DiskGuards.Report guards,
    Map<TableId, Instant> updated) {
  public static final MonitorSnapshot NOTHING =
      new MonitorSnapshot(
          0,
          0,
          0,
          LoadPace.Picture.NOTHING,
          Duration.ZERO,
          Duration.ZERO,
          Map.of(),
          Position.ZERO,
          Optional.empty(),
          JournalUpkeep.Extent.NONE,
          DiskGuards.Report.NOTHING,
          Map.of());
}
