package dev.sluice.engine.task;

import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Capture.CaptureProgress;
import dev.sluice.engine.journal.JournalReader;
import dev.sluice.engine.journal.JournalReader.Reading;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.checkpoint.Checkpoint;
import dev.sluice.sink.checkpoint.SuspendedTables;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.replay.JournalAgain;
import dev.sluice.sink.replay.JournalReplay;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that runs under one claimed epoch while changes are applied: capture, journal reader
 * and sink. Single use: after a failure a new one is made under the next epoch. Started and ended
 * by the daemon's main thread; what it tells may be asked from any thread.
 */
final class Replication implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Replication.class);

  /** The publisher writes a schema before the first change that needs it. */
  private static final Duration SCHEMA_PATIENCE = Duration.ofSeconds(30);

  private static final Duration DRAIN_REPORT = Duration.ofSeconds(5);

  private final Checkpoint claimed;
  private final Capture capture;
  private final SchemaTopic schemas;
  private final SinkPipeline pipeline;
  private final JournalReader reader;
  private volatile boolean captureClosed;

  private Replication(
      Checkpoint claimed,
      Capture capture,
      SchemaTopic schemas,
      SinkPipeline pipeline,
      JournalReader reader) {
    this.claimed = claimed;
    this.capture = capture;
    this.schemas = schemas;
    this.pipeline = pipeline;
    this.reader = reader;
  }

  /**
   * Starts to apply.
   *
   * @param claimed the checkpoint with the epoch that is held, whose offset is one of the journal
   * @param capture running under the same epoch; handed over
   */
  static Replication start(
      TaskParts parts,
      Map<String, Object> kafka,
      Checkpoint claimed,
      Capture capture,
      Clock clock) {
    SchemaTopic schemas = new SchemaTopic(kafka, parts.topics().schemas(), SCHEMA_PATIENCE);
    try {
      BatchApplier applier =
          new BatchApplier(
              parts.target(),
              claimed,
              new SuspendedTables(parts.controlSchema(), parts.task()).read(parts.target()),
              parts.config().tableMappings()::targetOf,
              new JournalReplay(new JournalAgain(kafka, parts.topics().journal()), schemas),
              parts.applySettings(),
              clock);
      SinkPipeline pipeline =
          SinkPipeline.start(
              parts::sinkSettings,
              new JournalPlace(
                  claimed.position(),
                  claimed.journalTerm(),
                  claimed.journalTransaction(),
                  claimed.nextOffset()),
              schemas,
              applier);
      JournalReader reader = read(parts, kafka, claimed, pipeline, clock);
      return new Replication(claimed, capture, schemas, pipeline, reader);
    } catch (RuntimeException e) {
      schemas.close();
      throw e;
    }
  }

  private static JournalReader read(
      TaskParts parts,
      Map<String, Object> kafka,
      Checkpoint claimed,
      SinkPipeline pipeline,
      Clock clock) {
    try {
      return JournalReader.start(
          kafka, parts.topics().journal(), claimed.nextOffset(), pipeline, clock);
    } catch (RuntimeException e) {
      pipeline.close();
      throw e;
    }
  }

  /** The checkpoint as it was claimed: the proof of the epoch. */
  Checkpoint claimed() {
    return claimed;
  }

  SinkProgress sink() {
    return pipeline.progress();
  }

  CaptureProgress captured() {
    return capture.progress();
  }

  Reading reading() {
    return reader.reading();
  }

  /** Why a part of it ended by itself. */
  Optional<SluiceException> failure() {
    return reader
        .failure()
        .or(pipeline::failure)
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
   * Applies the window that is open, durably, and ends.
   *
   * @throws SluiceException what kept it from being applied
   */
  void drain() throws InterruptedException {
    closeCapture();
    reader.askToDrain();
    while (!reader.awaitEnd(DRAIN_REPORT)) {
      LOG.info("waiting for the last window: {}", pipeline.progress().apply().state());
    }
    Optional<SluiceException> failure = reader.failure();
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  /** Ends it as it is; what is not on the target stays in the journal. Idempotent. */
  @Override
  public void close() {
    closeCapture();
    reader.close();
    schemas.close();
  }
}
