package dev.sluice.bench.peer;

import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Waiting;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.config.BatchApplyOverrides;
import dev.sluice.config.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.ChangeProcessingTuning;
import dev.sluice.config.DataSize;
import dev.sluice.config.Endpoint;
import dev.sluice.config.Secret;
import dev.sluice.config.SluiceException;
import dev.sluice.config.SourceConfig;
import dev.sluice.config.TaskSettings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.debezium.Journal;
import dev.sluice.connector.postgres.CaptureRequest;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.connector.postgres.SourceCatalog;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.engine.journal.JournalReader;
import dev.sluice.sink.RecoverableErrors;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.ApplySettings;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.checkpoint.Checkpoint;
import dev.sluice.sink.checkpoint.CheckpointStore;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.replay.JournalAgain;
import dev.sluice.sink.replay.JournalReplay;
import dev.sluice.sink.target.TargetServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * A journal that holds the whole backlog already, and the sink alone that drains it, in this
 * process. Owned by the benchmark's thread.
 */
final class FilledJournal {
  private static final String CONTROL_SCHEMA = "sluice_control";

  private final Map<String, Object> client;
  private final String task;
  private final Position start;
  private final String topicId;
  private final Duration captured;

  private FilledJournal(
      Map<String, Object> client, String task, Position start, String topicId, Duration captured) {
    this.client = client;
    this.task = task;
    this.start = start;
    this.topicId = topicId;
    this.captured = captured;
  }

  /**
   * Captures everything from the slot on; the slot must be from before the backlog.
   *
   * @param broker gets topics under the name of the backlog's shape
   */
  static FilledJournal fill(
      EmbeddedBroker broker, Database source, String slot, Backlog backlog, Duration limit)
      throws SQLException, InterruptedException {
    Map<String, Object> client = Map.of("bootstrap.servers", broker.bootstrapServers());
    String task = backlog.shape().name();
    JournalTopics topics = JournalTopics.ofTask(task);
    PostgresSource from =
        new PostgresSource(
            task,
            new SourceConfig(
                new Endpoint(
                    "127.0.0.1",
                    source.port(),
                    source.name(),
                    Database.USER,
                    Secret.NONE,
                    Map.of()),
                slot,
                Backlog.PUBLICATION,
                false));
    try (Journal journal = new Journal(client, topics)) {
      journal.create();
      SourceCatalog catalog = from.catalog(table -> table.schema().equals("public"));
      Position start = from.slot().state().orElseThrow().confirmed();
      long begin = System.nanoTime();
      try (Capture capture =
          from.startCapture(
              new CaptureRequest(
                  1, start, client, topics, DataSize.ofMebibytes(256), CaptureRequest.IDLE_AFTER),
              catalog)) {
        Waiting.until(
            "the journal to be filled with " + backlog.changes() + " changes",
            limit,
            () -> {
              rethrow(capture.failure());
              return capture.progress().changes() >= backlog.changes();
            });
      }
      return new FilledJournal(
          client,
          task,
          start,
          journal.topicId().orElseThrow().toString(),
          Duration.ofNanos(System.nanoTime() - begin));
    }
  }

  /** How long it took to fill it. */
  Duration captured() {
    return captured;
  }

  /** Drains it into a target, from the sink's start to the last row. */
  Measurement drain(
      Database target,
      Backlog backlog,
      ChangeProcessingTuning tuning,
      Path swap,
      Duration limit,
      DoubleSupplier cpu)
      throws SQLException, InterruptedException {
    TargetServer server =
        new TargetServer(
            target.jdbcUrl(), Database.USER, null, "sluice-bench", tuning.statementCacheSize());
    CheckpointStore checkpoints = new CheckpointStore(server, CONTROL_SCHEMA);
    checkpoints.create();
    Checkpoint claimed =
        checkpoints
            .claim(task)
            .startingAt(start, 0, topicId, new Checkpoint.SourceServer("bench", 1));
    checkpoints.write(claimed);
    JournalTopics topics = JournalTopics.ofTask(task);
    SinkSettings settings = settings(tuning, swap);
    double cpuBefore = cpu.getAsDouble();
    long begin = System.nanoTime();
    try (SchemaTopic schemas = new SchemaTopic(client, topics.schemas(), Duration.ofSeconds(10));
        JournalReader reader =
            JournalReader.start(
                client,
                topics.journal(),
                0,
                SinkPipeline.start(
                    () -> settings,
                    JournalPlace.beginning(start),
                    schemas,
                    new BatchApplier(
                        server,
                        claimed,
                        List.of(),
                        table -> table,
                        new JournalReplay(new JournalAgain(client, topics.journal()), schemas),
                        new ApplySettings(
                            TaskSettings.DEFAULTS.errorBehavior().policies(),
                            TaskSettings.DEFAULTS.controlTablesSettings(),
                            ChangeProcessingDdlHandlingPolicy.everything()),
                        Clock.systemUTC())),
                Clock.systemUTC());
        Connection connection = target.connect()) {
      Waiting.until(
          "the end of the backlog to come out of the filled journal",
          limit,
          () -> {
            rethrow(reader.failure());
            return Backlog.hasArrived(connection);
          });
      Duration wall = Duration.ofNanos(System.nanoTime() - begin);
      return new Measurement(backlog.changes(), wall, cpu.getAsDouble() - cpuBefore);
    }
  }

  private static void rethrow(Optional<SluiceException> failure) {
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  private SinkSettings settings(ChangeProcessingTuning tuning, Path swap) {
    return new SinkSettings(
        task,
        tuning,
        true,
        10_000,
        swap,
        DataSize.ofMebibytes(10_240),
        Duration.ofSeconds(5),
        RecoverableErrors.DEFAULTS,
        DataSize.ofBytes(Runtime.getRuntime().maxMemory()),
        BatchApplyOverrides.NONE);
  }
}
