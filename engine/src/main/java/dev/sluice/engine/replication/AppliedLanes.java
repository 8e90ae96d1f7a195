package dev.sluice.engine.replication;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.lane.LaneRun;
import dev.sluice.engine.lane.Lanes;
import dev.sluice.engine.resync.ResyncState;
import dev.sluice.engine.validate.continuous.Applied;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.SinkProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What the validation asks of the running lanes. Threadsafe. */
record AppliedLanes(Lanes lanes, Capture capture, ResyncState resyncs) implements Applied {

  @Override
  public LaneId laneOf(TableId target) {
    return lanes.all().stream()
        .filter(lane -> lane.tables().contains(target))
        .map(lane -> lane.lane().id())
        .findFirst()
        .orElse(LaneId.MAIN);
  }

  @Override
  public Position position(LaneId lane) {
    return lanes.all().stream()
        .filter(run -> run.lane().id().equals(lane))
        .map(run -> run.progress().apply().applied().position())
        .findFirst()
        .orElse(Position.ZERO);
  }

  @Override
  public JournalOffset reached() {
    return lanes.progress().apply().applied().place();
  }

  /** The time between the last commit in the journal and the last one on the target. */
  @Override
  public Optional<Duration> lag() {
    Duration most = Duration.ZERO;
    for (LaneRun lane : lanes.all()) {
      SinkProgress progress = lane.progress();
      if (lane.reading().lag().isEmpty()) {
        return Optional.empty();
      }
      if (lane.reading().lag().getAsLong() > 0 || progress.intake().backlogChanges() > 0) {
        AppliedPoint applied = progress.apply().applied();
        Optional<Instant> captured = capture.progress().lastCommit();
        if (applied.lastCommit().isEmpty() || captured.isEmpty()) {
          return Optional.empty();
        }
        Duration behind = Duration.between(applied.lastCommit().get(), captured.get());
        most = behind.compareTo(most) > 0 ? behind : most;
      }
    }
    return Optional.of(most);
  }

  @Override
  public void hold(LaneId lane, Position from, Duration longest) {
    lanes.all().stream()
        .filter(run -> run.lane().id().equals(lane))
        .forEach(run -> run.hold(from, longest));
  }

  @Override
  public void release() {
    lanes.all().forEach(LaneRun::release);
  }

  /** The lanes notice a reload with their next window only, when the table may be empty already. */
  @Override
  public Set<TableId> suspended() {
    return resyncs.suspended().stream().map(SuspendedTable::table).collect(Collectors.toSet());
  }
}
