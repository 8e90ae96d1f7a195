package dev.sluice.bench.peer;

import dev.sluice.bench.run.Measurement;
import dev.sluice.bench.server.CpuTime;
import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.Waiting;
import dev.sluice.bench.workload.Backlog;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.CaptureRequest;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.postgres.PostgresSource;
import dev.sluice.connector.postgres.server.PostgresConfig;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.engine.journal.IntakeThread;
import dev.sluice.engine.lane.LaneSpread;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.LaneStart;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.intake.SchemaTopic;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.lane.LaneRendezvous;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.replay.JournalReplay;
import dev.sluice.sink.replay.JournalRereader;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A journal that is filled with the complete backlog, and the sink that drains it in this process.
 * Owned by the benchmark's thread.
 */
final class FilledJournal {
  private static final String CONTROL_SCHEMA = "sluice_control";

  private final Map<String, Object> client;
  private final String task;
  private final Position start;
  private final String topicId;
  private final Duration captured;
  private final Map<TableId, Long> sizes;

  private FilledJournal(
      Map<String, Object> client,
      String task,
      Position start,
      String topicId,
      Duration captured,
      Map<TableId, Long> sizes) {
    this.client = client;
    this.task = task;
    this.start = start;
    this.topicId = topicId;
    this.captured = captured;
    this.sizes = Map.copyOf(sizes);
  }

  /**
   * Captures everything from the slot on; the slot must be older than the backlog.
   *
   * @param broker receives topics with the name of the backlog's shape
   */
  static FilledJournal fill(
      EmbeddedBroker broker, Database source, String slot, Backlog backlog, Duration limit)
      throws SQLException, InterruptedException {
    Map<String, Object> client = Map.of("bootstrap.servers", broker.bootstrapServers());
    String task = backlog.shape().name();
    JournalTopics topics = JournalTopics.ofTask(task);
    PostgresSource from =
        new PostgresSource(
            task, new PostgresConfig(source.endpoint(), slot, Backlog.PUBLICATION, false, false));
    try (Journal journal = new Journal(client, topics)) {
      journal.create();
      SourceCatalog catalog = from.catalog(table -> table.schema().equals("public"));
      Position start = from.retention().state().orElseThrow().confirmed();
      long begin = System.nanoTime();
      try (Capture capture =
          from.startCapture(
              new CaptureRequest(
                  1, start, client, topics, DataSize.ofMebibytes(256), CaptureRequest.IDLE_AFTER),
              CaptureScope.of(catalog))) {
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
          Duration.ofNanos(System.nanoTime() - begin),
          catalog.tables().stream()
              .collect(Collectors.toMap(CatalogTable::table, CatalogTable::pages)));
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
      TaskSettings tuning,
      int lanes,
      Path swap,
      Duration limit,
      DoubleSupplier targetCpu)
      throws SQLException, InterruptedException {
    TargetServer server =
        TargetServers.of(
            target.endpoint(),
            "sluice-bench",
            tuning.get(ChangeProcessingTuning.STATEMENT_CACHE_SIZE));
    CheckpointStore checkpoints = new CheckpointStore(server, CONTROL_SCHEMA);
    checkpoints.create();
    Checkpoint claimed =
        checkpoints
            .claim(task)
            .startingAt(start, 0, topicId, new Checkpoint.SourceServer("bench", 1));
    checkpoints.write(claimed);
    List<Lane> all = lanesOf(server, claimed, LaneSpread.of(sizes, lanes).lanes());
    JournalTopics topics = JournalTopics.ofTask(task);
    SinkSettings settings = settings(tuning, swap);
    double targetBefore = targetCpu.getAsDouble();
    double ownBefore = CpuTime.ofThisProcess();
    long begin = System.nanoTime();
    List<IntakeThread> readers = new ArrayList<>();
    try (SchemaTopic schemas = new SchemaTopic(client, topics.schemas(), Duration.ofMinutes(1));
        Connection connection = target.connect()) {
      List<SinkPipeline> pipelines = new ArrayList<>();
      for (Lane lane : all) {
        SinkSettings share = settings.shareOf(lane.id(), all.size());
        SinkPipeline pipeline =
            SinkPipeline.start(
                lane,
                () -> share,
                JournalOffset.beginning(start),
                schemas,
                applier(
                    server,
                    LaneStart.of(claimed, lane, claimed.place(), List.of()),
                    table -> new TableId(target.schema(), table.name()),
                    schemas));
        pipelines.add(pipeline);
        readers.add(
            IntakeThread.start(client, topics.journal(), 0, pipeline, new MonotonicClock()));
      }
      Waiting.until(
          "the end of the backlog to come out of the filled journal",
          limit,
          () -> {
            readers.forEach(reader -> rethrow(reader.failure()));
            return Backlog.hasArrived(connection)
                && (all.size() == 1 || haveAll(readers, pipelines));
          });
      Duration wall = Duration.ofNanos(System.nanoTime() - begin);
      double ofTarget = targetCpu.getAsDouble() - targetBefore;
      double own = CpuTime.ofThisProcess() - ownBefore;
      return new Measurement(backlog.changes(), wall, own + ofTarget, ofTarget);
    } finally {
      readers.forEach(IntakeThread::askToStop);
      readers.forEach(IntakeThread::close);
    }
  }

  /** Waits for all lanes: the end arrives in one of them only. */
  private static boolean haveAll(List<IntakeThread> readers, List<SinkPipeline> pipelines) {
    return readers.stream().allMatch(reader -> reader.reading().lag().orElse(1) == 0)
        && pipelines.stream()
            .allMatch(pipeline -> pipeline.progress().intake().backlogChanges() == 0);
  }

  private BatchApplier applier(
      TargetServer server, LaneStart start, UnaryOperator<TableId> targetOf, SchemaTopic schemas) {
    return new BatchApplier(
        server,
        start,
        targetOf,
        new JournalReplay(
            new JournalRereader(client, JournalTopics.ofTask(task).journal()), schemas),
        new ApplySettings(TaskSettings.DEFAULTS),
        Clock.systemUTC());
  }

  /** The main lane first, the others with rows of their own on the target. */
  private static List<Lane> lanesOf(
      TargetServer server, Checkpoint claimed, List<List<TableId>> tables) {
    if (tables.size() == 1) {
      return List.of(Lane.WHOLE);
    }
    List<LaneCheckpoint> others = new ArrayList<>();
    Set<TableId> elsewhere = new HashSet<>();
    for (int i = 1; i < tables.size(); i++) {
      others.add(LaneCheckpoint.startingAt(LaneId.parallel(i + 1), tables.get(i), claimed.place()));
      elsewhere.addAll(tables.get(i));
    }
    new LaneCheckpoints(server, CONTROL_SCHEMA).replace(claimed, List.of(), others);
    Optional<LaneRendezvous> meeting =
        Optional.of(
            new LaneRendezvous(
                others.stream().map(LaneCheckpoint::lane).collect(Collectors.toSet())));
    List<Lane> lanes = new ArrayList<>();
    lanes.add(lane(LaneId.MAIN, TableFilter.not(TableFilter.only(elsewhere)), meeting));
    for (LaneCheckpoint other : others) {
      lanes.add(lane(other.lane(), TableFilter.only(new HashSet<>(other.tables())), meeting));
    }
    return lanes;
  }

  private static Lane lane(LaneId id, TableFilter tables, Optional<LaneRendezvous> meeting) {
    return new Lane(id, tables, () -> LaneBound.NONE, meeting, ChangeObserver.Factory.NONE);
  }

  private static void rethrow(Optional<SluiceException> failure) {
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  private SinkSettings settings(TaskSettings tuning, Path swap) {
    return new SinkSettings(
        task,
        tuning,
        swap,
        DataSize.ofBytes(Runtime.getRuntime().maxMemory()),
        BatchApplyOverrides.NONE);
  }
}
