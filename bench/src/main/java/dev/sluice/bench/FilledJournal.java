package dev.sluice.bench;

import dev.sluice.config.BatchApplyOverrides;
import dev.sluice.config.ChangeProcessingTuning;
import dev.sluice.config.DataSize;
import dev.sluice.config.Endpoint;
import dev.sluice.config.Secret;
import dev.sluice.config.SourceConfig;
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
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.checkpoint.Checkpoint;
import dev.sluice.sink.checkpoint.CheckpointStore;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.target.TargetServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * A journal that holds the whole backlog already, and the sink alone that drains it, in this
 * process with the broker. Owned by the benchmark's thread.
 */
final class FilledJournal implements AutoCloseable {
  private static final String TASK = "apply";
  private static final String CONTROL_SCHEMA = "sluice_control";

  private final EmbeddedBroker broker;
  private final Map<String, Object> client;
  private final JournalTopics topics = JournalTopics.ofTask(TASK);
  private final Path folder;
  private final Position start;
  private final String topicId;
  private final Duration captured;

  private FilledJournal(
      EmbeddedBroker broker,
      Map<String, Object> client,
      Path folder,
      Position start,
      String topicId,
      Duration captured) {
    this.broker = broker;
    this.client = client;
    this.folder = folder;
    this.start = start;
    this.topicId = topicId;
    this.captured = captured;
  }

  /** Captures everything from the slot on; the slot must be from before the backlog. */
  static FilledJournal fill(Path folder, Database source, String slot, Backlog backlog)
      throws InterruptedException {
    EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"));
    Map<String, Object> client = Map.of("bootstrap.servers", broker.bootstrapServers());
    JournalTopics topics = JournalTopics.ofTask(TASK);
    PostgresSource from =
        new PostgresSource(
            TASK,
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
        while (capture.progress().changes() < backlog.changes()) {
          capture
              .failure()
              .ifPresent(
                  failure -> {
                    throw failure;
                  });
          Thread.sleep(20);
        }
      }
      return new FilledJournal(
          broker,
          client,
          folder,
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
  Measurement drain(Database target, Backlog backlog, DoubleSupplier cpu)
      throws SQLException, InterruptedException {
    TargetServer server =
        new TargetServer(
            "jdbc:postgresql://127.0.0.1:" + target.port() + "/" + target.name(),
            Database.USER,
            null,
            "sluice-bench",
            50);
    CheckpointStore checkpoints = new CheckpointStore(server, CONTROL_SCHEMA);
    checkpoints.create();
    Checkpoint claimed =
        checkpoints
            .claim(TASK)
            .startingAt(start, 0, topicId, new Checkpoint.SourceServer("bench", 1));
    checkpoints.write(claimed);
    SinkSettings settings = settings();
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
                    new BatchApplier(server, CONTROL_SCHEMA, claimed, table -> table)),
                Clock.systemUTC());
        Connection connection = target.connect()) {
      while (!Backlog.hasArrived(connection)) {
        reader
            .failure()
            .ifPresent(
                failure -> {
                  throw failure;
                });
        Thread.sleep(20);
      }
      Duration wall = Duration.ofNanos(System.nanoTime() - begin);
      return new Measurement(backlog.changes(), wall, cpu.getAsDouble() - cpuBefore);
    }
  }

  private SinkSettings settings() {
    return new SinkSettings(
        TASK,
        ChangeProcessingTuning.DEFAULTS,
        true,
        10_000,
        folder.resolve("swap"),
        DataSize.ofMebibytes(10_240),
        Duration.ofSeconds(5),
        RecoverableErrors.DEFAULTS,
        DataSize.ofBytes(Runtime.getRuntime().maxMemory()),
        BatchApplyOverrides.NONE);
  }

  @Override
  public void close() {
    broker.close();
  }
}
