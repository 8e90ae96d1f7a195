package dev.sluice.engine.monitor;

import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.engine.context.StatusNumbers;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.lane.LaneRun;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.Replication;
import dev.sluice.engine.status.StatusFigures;
import dev.sluice.engine.status.TaskStatus;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.progress.IntakeProgress;
import dev.sluice.sink.progress.SinkProgress;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Builds the figures of one moment that do not depend on the number of tables: no counters by table
 * are joined for them. Used for one moment, by one thread.
 */
public final class FiguresReport {
  private final TaskContext context;
  private final CurrentReplication current;
  private final MonitorSnapshot measured;
  private final List<LaneRun> lanes;

  public FiguresReport(TaskContext context, CurrentReplication current, MonitorSnapshot measured) {
    this.context = context;
    this.current = current;
    this.measured = measured;
    this.lanes = current.get().map(Replication::lanes).orElse(List.of());
  }

  public StatusFigures draw() {
    IntakeProgress intake = intake();
    return new StatusFigures(
        latency(),
        throughput(),
        backlogChanges(),
        intake.memory().bytes(),
        memoryLimitBytes(),
        intake.swap().bytes(),
        swapLimitBytes(),
        guards());
  }

  /** The target is behind the source at least as far as the journal. */
  TaskStatus.Latency latency() {
    Duration ofJournal = measured.sourceLag().orElse(Duration.ZERO);
    return new TaskStatus.Latency(
        measured.sourceLag().map(StatusNumbers::seconds).orElse(null),
        measured
            .targetLag()
            .map(lag -> lag.compareTo(ofJournal) < 0 ? ofJournal : lag)
            .map(StatusNumbers::seconds)
            .orElse(null));
  }

  TaskStatus.Throughput throughput() {
    return new TaskStatus.Throughput(
        StatusNumbers.rounded(measured.capturedPerSecond()),
        StatusNumbers.rounded(measured.appliedPerSecond()),
        StatusNumbers.rounded(measured.loadedPerSecond()),
        current.runtime().isLoadThrottled());
  }

  /** Before changes are applied, all that are captured wait. */
  long backlogChanges() {
    return lanes.isEmpty()
        ? current.runtime().captured().map(CaptureProgress::changes).orElse(0L)
        : lanes.stream().mapToLong(FiguresReport::backlogChanges).sum();
  }

  /** Changes not read yet are estimated: journal records times the average changes of a record. */
  static long backlogChanges(LaneRun lane) {
    SinkProgress progress = lane.progress();
    long inMemory = progress.intake().backlogChanges();
    long read = lane.reading().records();
    double changesPerRecord =
        read == 0 ? 1 : (double) (inMemory + progress.apply().changes()) / read;
    return inMemory + Math.round(lane.reading().lag().orElse(0) * changesPerRecord);
  }

  /** Of all lanes together. */
  IntakeProgress intake() {
    return lanes.stream()
        .map(lane -> lane.progress().intake())
        .reduce(IntakeProgress::plus)
        .orElse(IntakeProgress.NOTHING);
  }

  long memoryLimitBytes() {
    SinkSettings settings = context.sinkSettings();
    return settings.effectiveMemoryLimitTotal().bytes()
        + 2 * settings.effectiveBatchApplyMemoryLimit().bytes();
  }

  long swapLimitBytes() {
    return context.sinkSettings().get(SluiceSettings.SWAP_LIMIT).bytes();
  }

  List<TaskStatus.Guard> guards() {
    return measured.guards().states().map(FiguresReport::guard).toList();
  }

  private static TaskStatus.Guard guard(GuardState state) {
    OptionalDouble rate = state.bytesPerSecond();
    OptionalLong room = state.reading().room();
    return new TaskStatus.Guard(
        state.name(),
        state.level().text(),
        state.reading().used(),
        room.isPresent() ? room.getAsLong() : null,
        state.reading().limitedBy().orElse(null),
        rate.isPresent() ? Math.round(rate.getAsDouble() * 3600) : null,
        state.left().map(GuardState::hours).map(StatusNumbers::rounded).orElse(null),
        state.words());
  }
}
