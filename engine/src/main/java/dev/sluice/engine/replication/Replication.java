package dev.sluice.engine.replication;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.engine.context.RunningReplication;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskCounters;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.engine.lane.LaneFeed;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.engine.lane.LaneRun;
import dev.sluice.engine.lane.Lanes;
import dev.sluice.engine.resync.TableReload;
import dev.sluice.engine.resync.TableResyncs;
import dev.sluice.engine.validate.continuous.Validations;
import dev.sluice.engine.validate.followed.LaneStarts;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.replay.JournalReplay;
import dev.sluice.sink.replay.JournalRereader;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Everything that runs under one claimed epoch while changes are applied: the capture, the lanes,
 * and the resync of suspended tables. Single use: after a failure a new one is created under the
 * next epoch. Started and ended by the daemon's main thread; its progress may be read from any
 * thread.
 */
public final class Replication implements RunningReplication, AutoCloseable {
  private final Checkpoint claimed;
  private final Capture capture;
  private final Lanes lanes;
  private final TableResyncs resyncs;
  private final CapturedTablesWatch watch;
  private final Validations validations;
  private volatile boolean captureClosed;

  private Replication(
      Checkpoint claimed,
      Capture capture,
      Lanes lanes,
      TableResyncs resyncs,
      CapturedTablesWatch watch,
      Validations validations) {
    this.claimed = claimed;
    this.capture = capture;
    this.lanes = lanes;
    this.resyncs = resyncs;
    this.watch = watch;
    this.validations = validations;
  }

  /**
   * Starts to apply changes.
   *
   * @param start the checkpoints under the epoch that is held; their offsets are valid in the
   *     journal
   * @param capture running under the same epoch; closed by the replication
   * @param resync of the task, as it is recorded
   */
  static Replication start(
      RunningTask task,
      Map<String, Object> kafka,
      LaneLayout.Start start,
      Capture capture,
      TaskResync resync) {
    TaskContext context = task.context();
    Clock clock = task.clock();
    SuspensionChanges news = new SuspensionChanges();
    Checkpoint main = start.main();
    Validations validations = new Validations(context, main, LaneStarts.of(start), resync, clock);
    Lanes lanes =
        Lanes.start(
            context,
            kafka,
            main,
            start.others(),
            new LaneFeed(
                task.stopPoint()::bound,
                news,
                validations,
                resync.applySettings(context.applySettings())),
            clock);
    SuspensionStore suspensions =
        new SuspensionStore(
            context.target(),
            context.controlSchema(),
            main,
            context.config().tableMappings()::targetOf,
            news,
            clock);
    TableResyncs resyncs =
        TableResyncs.start(
            lanes.parts(), suspensions, () -> lanes.progress().apply(), validations::rowsReplaced);
    validations.begin(
        new AppliedLanes(lanes, capture, resyncs.state()),
        new JournalReplay(
            new JournalRereader(kafka, context.topics().journal()), lanes.parts().schemas()));
    return new Replication(
        main, capture, lanes, resyncs, CapturedTablesWatch.start(context), validations);
  }

  /** The checkpoint as it was claimed, with the epoch. */
  Checkpoint claimed() {
    return claimed;
  }

  /** The joined progress of all lanes. */
  public SinkProgress sink() {
    return lanes.progress();
  }

  /** The lanes; the main lane is the first. */
  public List<LaneRun> lanes() {
    return lanes.all();
  }

  /** Ends waits after failures of the target, so that the work is retried at once. */
  public void retryNow() {
    lanes.all().forEach(LaneRun::retryNow);
  }

  /** The validation of this replication. */
  public Validations validations() {
    return validations;
  }

  /** The resync of suspended tables. */
  public TableResyncs resyncs() {
    return resyncs;
  }

  @Override
  public CaptureProgress captured() {
    return capture.progress();
  }

  @Override
  public TaskCounters applied() {
    SinkProgress sink = sink();
    return TaskCounters.NONE
        .plus(sink.apply())
        .plus(sink.intake())
        .plus(resyncs.state().applied())
        .plus(validations.compared());
  }

  @Override
  public boolean isReloadThrottled() {
    return resyncs.state().reloading().filter(TableReload::isThrottled).isPresent();
  }

  /** Lag of the slowest lane in journal records; empty before Kafka has reported the end. */
  public OptionalLong lag() {
    OptionalLong most = OptionalLong.of(0);
    for (LaneRun lane : lanes.all()) {
      OptionalLong lag = lane.reading().lag();
      if (lag.isEmpty()) {
        return lag;
      }
      most = OptionalLong.of(Math.max(most.getAsLong(), lag.getAsLong()));
    }
    return most;
  }

  /** The failure that ended a part of it; empty while all run. */
  Optional<SluiceException> failure() {
    return lanes
        .failure()
        .or(resyncs::failure)
        .or(watch::failure)
        .or(() -> captureClosed ? Optional.empty() : capture.failure());
  }

  /** Ends only the capture; the lanes continue to apply what the journal has. */
  void closeCapture() {
    captureClosed = true;
    capture.close();
  }

  boolean isCaptureClosed() {
    return captureClosed;
  }

  /** Whether all lanes have reached their bound and ended, with everything durable. */
  boolean areLanesAtTheirEnd() {
    return lanes.areDrained();
  }

  /**
   * Applies the open windows, durably, and ends.
   *
   * @throws SluiceException if they could not be applied
   */
  void drain() throws InterruptedException {
    closeCapture();
    watch.close();
    validations.close();
    resyncs.close();
    lanes.askToDrain();
    lanes.awaitDrained();
  }

  /** Ends at once; what is not on the target stays in the journal. Idempotent. */
  @Override
  public void close() {
    closeCapture();
    watch.close();
    validations.close();
    resyncs.close();
    lanes.close();
  }
}
