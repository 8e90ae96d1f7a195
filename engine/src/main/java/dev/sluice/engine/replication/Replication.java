package dev.sluice.engine.replication;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.engine.context.RunningReplication;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskCounters;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.engine.lane.LaneRun;
import dev.sluice.engine.lane.Lanes;
import dev.sluice.engine.resync.TableReload;
import dev.sluice.engine.resync.TableResyncs;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspensionChanges;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.progress.SinkProgress;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Everything that runs under one claimed epoch while changes are applied: the capture, the lanes,
 * and what brings suspended tables back. Single use: after a failure a new one is made under the
 * next epoch. Started and ended by the daemon's main thread; what it tells may be asked from any
 * thread.
 */
public final class Replication implements RunningReplication, AutoCloseable {
  private final Checkpoint claimed;
  private final Capture capture;
  private final Lanes lanes;
  private final TableResyncs returns;
  private final PublicationWatch publication;
  private volatile boolean captureClosed;

  private Replication(
      Checkpoint claimed,
      Capture capture,
      Lanes lanes,
      TableResyncs returns,
      PublicationWatch publication) {
    this.claimed = claimed;
    this.capture = capture;
    this.lanes = lanes;
    this.returns = returns;
    this.publication = publication;
  }

  /**
   * Starts to apply.
   *
   * @param start the checkpoints under the epoch that is held, whose offsets are of the journal
   * @param capture running under the same epoch; handed over
   */
  static Replication start(
      TaskContext parts,
      Map<String, Object> kafka,
      LaneLayout.Start start,
      Capture capture,
      Clock clock) {
    SuspensionChanges news = new SuspensionChanges();
    Checkpoint main = start.main();
    Lanes lanes =
        Lanes.start(parts, kafka, main, start.others(), () -> LaneBound.NONE, news, clock);
    SuspensionStore suspensions =
        new SuspensionStore(
            parts.target(),
            parts.controlSchema(),
            main,
            parts.config().tableMappings()::targetOf,
            news,
            clock);
    TableResyncs returns =
        TableResyncs.start(lanes.parts(), suspensions, () -> lanes.progress().apply());
    return new Replication(main, capture, lanes, returns, PublicationWatch.start(parts));
  }

  /** The checkpoint as it was claimed: the proof of the epoch. */
  Checkpoint claimed() {
    return claimed;
  }

  /** What all lanes have done together. */
  public SinkProgress sink() {
    return lanes.progress();
  }

  /** The main lane is the first. */
  public List<LaneRun> lanes() {
    return lanes.all();
  }

  /** What the target did not take is tried again at once. */
  public void retryNow() {
    lanes.all().forEach(LaneRun::retryNow);
  }

  /** What brings suspended tables back. */
  public TableResyncs returns() {
    return returns;
  }

  @Override
  public CaptureProgress captured() {
    return capture.progress();
  }

  @Override
  public TaskCounters applied() {
    return TaskCounters.NONE.plus(sink().apply()).plus(returns.board().applied());
  }

  @Override
  public boolean isReloadThrottled() {
    return returns.board().reloading().filter(TableReload::isThrottled).isPresent();
  }

  /** Journal records that the lane that lags most has not read; empty before the first answer. */
  public OptionalLong unread() {
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

  /** Why a part of it ended by itself. */
  Optional<SluiceException> failure() {
    return lanes
        .failure()
        .or(returns::failure)
        .or(publication::failure)
        .or(() -> captureClosed ? Optional.empty() : capture.failure());
  }

  /** Ends the capture alone; what the journal has is applied on. */
  void closeCapture() {
    captureClosed = true;
    capture.close();
  }

  boolean isCaptureClosed() {
    return captureClosed;
  }

  /**
   * Applies the windows that are open, durably, and ends.
   *
   * @throws SluiceException what kept it from being applied
   */
  void drain() throws InterruptedException {
    closeCapture();
    publication.close();
    returns.close();
    lanes.askToDrain();
    lanes.awaitDrained();
  }

  /** Ends it as it is; what is not on the target stays in the journal. Idempotent. */
  @Override
  public void close() {
    closeCapture();
    publication.close();
    returns.close();
    lanes.close();
  }
}
