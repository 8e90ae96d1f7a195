package dev.sluice.engine.lane;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.journal.IntakeThread;
import dev.sluice.engine.journal.IntakeThread.Reading;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.LaneStart;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.replay.JournalReplay;
import dev.sluice.sink.replay.JournalRereader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A running lane: a journal reader, a pipeline and a connection of its own. Started and ended by
 * the daemon's main thread; its progress may be read from any thread.
 */
public final class LaneRun implements AutoCloseable {
  private final Lane lane;
  private final List<TableId> tables;
  private final SinkPipeline pipeline;
  private final IntakeThread reader;

  private LaneRun(Lane lane, List<TableId> tables, SinkPipeline pipeline, IntakeThread reader) {
    this.lane = lane;
    this.tables = tables;
    this.pipeline = pipeline;
    this.reader = reader;
  }

  /**
   * Starts to apply changes.
   *
   * @param start the lane, and from where it continues, as stored on the target
   * @param tables its tables, by their names on the target; only for display
   * @param settings returns the same object until a setting changes
   */
  public static LaneRun start(
      LaneContext context,
      LaneStart start,
      List<TableId> tables,
      Supplier<SinkSettings> settings,
      ApplySettings applySettings) {
    TaskContext task = context.task();
    String journal = task.topics().journal();
    BatchApplier applier =
        new BatchApplier(
            task.target(),
            start,
            task.config().tableMappings()::targetOf,
            new JournalReplay(new JournalRereader(context.kafka(), journal), context.schemas()),
            applySettings,
            context.clock());
    SinkPipeline pipeline =
        SinkPipeline.start(start.lane(), settings, start.place(), context.schemas(), applier);
    try {
      pipeline.reportTo(task.windows());
      IntakeThread reader =
          IntakeThread.start(
              context.kafka(),
              journal,
              start.place().nextOffset(),
              pipeline,
              new MonotonicClock(context.clock()));
      return new LaneRun(start.lane(), tables, pipeline, reader);
    } catch (RuntimeException e) {
      pipeline.close();
      throw e;
    }
  }

  public Lane lane() {
    return lane;
  }

  public List<TableId> tables() {
    return tables;
  }

  public SinkProgress progress() {
    return pipeline.progress();
  }

  public Reading reading() {
    return reader.reading();
  }

  public Optional<SluiceException> failure() {
    return reader.failure().or(pipeline::failure);
  }

  public void retryNow() {
    pipeline.retryNow();
  }

  /** Keeps it between two windows, as {@link SinkPipeline#hold} says. From any thread. */
  public void hold(Position from, Duration longest) {
    pipeline.hold(from, longest);
  }

  /** Ends the hold, if there is one. From any thread. */
  public void release() {
    pipeline.release();
  }

  void askToDrain() {
    reader.askToDrain();
  }

  public boolean awaitEnd(Duration timeout) throws InterruptedException {
    return reader.awaitEnd(timeout);
  }

  /** Its journal position after it was drained. */
  Optional<JournalOffset> drainedAt() {
    return reader.drainedAt();
  }

  /** Requests an end without applying the open window. */
  void askToStop() {
    reader.askToStop();
  }

  /** Ends it at once; what is not on the target stays in the journal. Idempotent. */
  @Override
  public void close() {
    reader.close();
  }
}
