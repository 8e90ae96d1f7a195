package dev.sluice.engine.lane;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.journal.JournalReader;
import dev.sluice.engine.journal.JournalReader.Reading;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.LaneStart;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.suspension.SuspendedTable;
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
 * A lane while it runs: a journal reader, a pipeline and a connection of its own. Started and ended
 * by the daemon's main thread; what it tells may be asked from any thread.
 */
public final class LaneRun implements AutoCloseable {
  private final Lane lane;
  private final List<TableId> tables;
  private final SinkPipeline pipeline;
  private final JournalReader reader;

  private LaneRun(Lane lane, List<TableId> tables, SinkPipeline pipeline, JournalReader reader) {
    this.lane = lane;
    this.tables = tables;
    this.pipeline = pipeline;
    this.reader = reader;
  }

  /**
   * Starts to apply.
   *
   * @param tables those that it has, by their names on the target; for people
   * @param place from which it goes on, as the target says
   * @param suspended the tables that it passes over
   * @param settings gives the same object until something changes
   */
  public static LaneRun start(
      LaneContext parts,
      Lane lane,
      List<TableId> tables,
      JournalOffset place,
      List<SuspendedTable> suspended,
      Supplier<SinkSettings> settings,
      ApplySettings applySettings) {
    TaskContext task = parts.task();
    String journal = task.topics().journal();
    BatchApplier applier =
        new BatchApplier(
            task.target(),
            new LaneStart(parts.claimed(), lane, place, Optional.empty(), parts.news()),
            suspended,
            task.config().tableMappings()::targetOf,
            new JournalReplay(new JournalRereader(parts.kafka(), journal), parts.schemas()),
            applySettings,
            parts.clock());
    SinkPipeline pipeline = SinkPipeline.start(lane, settings, place, parts.schemas(), applier);
    try {
      JournalReader reader =
          JournalReader.start(
              parts.kafka(),
              journal,
              place.nextOffset(),
              pipeline,
              new MonotonicClock(parts.clock()));
      return new LaneRun(lane, tables, pipeline, reader);
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

  void askToDrain() {
    reader.askToDrain();
  }

  public boolean awaitEnd(Duration patience) throws InterruptedException {
    return reader.awaitEnd(patience);
  }

  /** Where it stands after it was drained. */
  Optional<JournalOffset> drainedAt() {
    return reader.drainedAt();
  }

  /** Asks to end as it is. */
  void askToStop() {
    reader.askToStop();
  }

  /** Ends it as it is; what is not on the target stays in the journal. Idempotent. */
  @Override
  public void close() {
    reader.close();
  }
}
