package dev.sluice.sink;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.progress.WindowListener;
import dev.sluice.sink.sorter.SwapDisk;
import dev.sluice.sink.window.WindowApplier;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one lane's changes from journal records to the target. {@link PipelineIntake} fills windows
 * on the caller's thread; an {@link ApplyThread} of its own applies the closed windows. {@link
 * #accept}, {@link #drainAndStop} and {@link #close} are called by one thread, the intake thread;
 * {@link #progress} and {@link #failure} by any thread.
 */
public final class SinkPipeline implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SinkPipeline.class);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final Lane lane;
  private final Supplier<SinkSettings> wanted;
  private final ApplyThread applyThread;
  private final PipelineIntake intake;

  /** Why intake failed. From then on nothing is submitted: a window may hold half a transaction. */
  private volatile SluiceException failure;

  private SinkPipeline(
      Lane lane,
      Supplier<SinkSettings> wanted,
      JournalOffset start,
      SchemaLookup schemas,
      WindowApplier applier,
      SwapDisk disk) {
    this.lane = lane;
    this.wanted = wanted;
    SinkSettings settings = wanted.get();
    this.applyThread = new ApplyThread(settings, lane, start, applier);
    this.intake = new PipelineIntake(settings, lane, start, schemas, applyThread, disk);
  }

  /** Starts the only pipeline of a task without further lanes. */
  public static SinkPipeline start(
      Supplier<SinkSettings> settings,
      JournalOffset start,
      SchemaLookup schemas,
      WindowApplier applier) {
    return start(Lane.WHOLE, settings, start, schemas, applier);
  }

  /**
   * Starts a pipeline.
   *
   * @param lane which of the task's tables the pipeline applies
   * @param settings supplies the wanted settings; called once in each {@link #accept}. It must not
   *     block and must return the same object until a setting changes. Task, swap directory, heap
   *     and retries must stay the same
   * @param start the checkpoint; {@link #accept} gets the records from its offset, or from an
   *     earlier one
   * @param applier owned and closed by the pipeline from now on
   * @throws SluiceException.Fatal if the swap directory cannot be prepared
   */
  public static SinkPipeline start(
      Lane lane,
      Supplier<SinkSettings> settings,
      JournalOffset start,
      SchemaLookup schemas,
      WindowApplier applier) {
    return start(lane, settings, start, schemas, applier, SwapDisk.LOCAL);
  }

  static SinkPipeline start(
      Lane lane,
      Supplier<SinkSettings> settings,
      JournalOffset start,
      SchemaLookup schemas,
      WindowApplier applier,
      SwapDisk disk) {
    SinkPipeline pipeline = new SinkPipeline(lane, settings, start, schemas, applier, disk);
    LOG.info(
        "sink of {}, {}, starts at {}, journal offset {}; in effect: {}",
        pipeline.intake.settings().task(),
        lane.id(),
        start.position(),
        start.nextOffset(),
        pipeline.intake.settings().effective());
    pipeline.applyThread.start();
    return pipeline;
  }

  /**
   * Notifies the listener of each window that is applied from now on, in place of an earlier one.
   * Called from any thread.
   */
  public void reportTo(WindowListener listener) {
    applyThread.reportTo(listener);
  }

  /**
   * Calls this each time a window is applied, and when applying has failed: {@link #accept} then
   * has something to do, and should be called at once. The apply thread calls it; it must not
   * block. Set before the first {@link #accept}. A caller that cannot be woken sets none and is
   * told to call often.
   */
  public void wakeWith(Runnable wake) {
    applyThread.wakeIntakeWith(wake);
  }

  /**
   * Ends the wait after a failure: the failed step is tried again at once. Called from any thread.
   */
  public void retryNow() {
    applyThread.retryNow();
  }

  /**
   * Keeps the lane between two windows for a moment: from the first window on that has reached the
   * position, no further one is begun, until this is released or its time is over. Reading goes on
   * as while a window takes long. In place of an earlier hold; a stop does not wait for it. Called
   * from any thread.
   */
  public void hold(Position from, Duration longest) {
    applyThread.hold(from, longest);
  }

  /** Windows follow each other again; without a hold it does nothing. Called from any thread. */
  public void release() {
    applyThread.release();
  }

  /**
   * Takes the next records of the journal. Must also be called when there are none.
   *
   * @param records in journal order; they follow the records of the previous call
   * @param caughtUp true if the last poll was empty or reached the end of the journal
   * @param now the time; never earlier than in the previous call
   * @throws SluiceException if the apply thread failed or a record cannot be applied; the caller
   *     then closes the pipeline
   */
  public PollDirective accept(List<JournalEntry> records, boolean caughtUp, Instant now) {
    rethrowFailure();
    try {
      intake.adopt(wanted.get());
      return intake.take(records, caughtUp, now);
    } catch (SluiceException e) {
      failure = e;
      throw e;
    } catch (RuntimeException | Error e) {
      failure = new SluiceException.Fatal("BUG: the intake failed: " + e, e);
      throw failure;
    }
  }

  /** The lane of this pipeline. Called from any thread. */
  public LaneId lane() {
    return lane.id();
  }

  /** A snapshot of what was applied and what is held. Called from any thread; never blocks. */
  public SinkProgress progress() {
    return intake.progress(applyThread.progress());
  }

  /**
   * The failure that ended the pipeline; empty if there is none. Called from any thread; never
   * blocks.
   */
  public Optional<SluiceException> failure() {
    return applyThread.failure().or(() -> Optional.ofNullable(failure));
  }

  /**
   * Applies the open window, makes everything durable and stops. Waits for the target, but does not
   * retry failures. Records that are in no window yet stay in the journal.
   *
   * @return the last applied point: everything up to it is durable on the target, nothing after it
   *     is
   * @throws SluiceException if the open window could not be applied
   */
  public JournalOffset drainAndStop() {
    rethrowFailure();
    intake.submitOpen();
    applyThread.askToStop();
    while (!applyThread.awaitStop(CLOSE_TIMEOUT)) {
      LOG.info("waiting for the last window to be applied");
    }
    rethrowFailure();
    return applyThread.progress().durable().place();
  }

  /**
   * Stops without applying the open window; its records stay in the journal. A window that is being
   * applied is finished, unless the target takes too long: then its session is terminated, so that
   * it is not committed later. Idempotent.
   */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  void close(Duration timeout) {
    applyThread.askToStop();
    if (!applyThread.awaitStop(timeout)) {
      LOG.warn(
          "{}: the target does not respond; the session that applies the window is terminated, the"
              + " window stays in the journal",
          lane.id());
      applyThread.breakOff();
      if (!applyThread.awaitStop(CLOSE_TIMEOUT)) {
        LOG.warn("{}: the apply thread does not end; its session is already closed", lane.id());
      }
    }
    intake.discard();
  }

  private void rethrowFailure() {
    Optional<SluiceException> reason = failure();
    if (reason.isPresent()) {
      throw reason.get();
    }
  }
}
