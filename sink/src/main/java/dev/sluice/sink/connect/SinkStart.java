package dev.sluice.sink.connect;

import dev.sluice.config.Problem;
import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.LaneStart;
import dev.sluice.sink.checkpoint.Checkpoint;
import dev.sluice.sink.checkpoint.CheckpointRows;
import dev.sluice.sink.checkpoint.CheckpointStore;
import dev.sluice.sink.checkpoint.PartitionCheckpoint;
import dev.sluice.sink.checkpoint.PartitionCheckpoints;
import dev.sluice.sink.checkpoint.PartitionPlace;
import dev.sluice.sink.checkpoint.PartitionRows;
import dev.sluice.sink.checkpoint.PlacedCheckpoint;
import dev.sluice.sink.checkpoint.SuspendedTables;
import dev.sluice.sink.checkpoint.WindowCheckpoint;
import dev.sluice.sink.connect.KafkaTopics.Extent;
import dev.sluice.sink.connect.envelope.DebeziumRecord;
import dev.sluice.sink.connect.envelope.EnvelopeReader;
import dev.sluice.sink.connect.envelope.PlainValues;
import dev.sluice.sink.connect.join.Cluster;
import dev.sluice.sink.connect.join.SpillFiles;
import dev.sluice.sink.connect.join.TransactionJoin;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.replay.JournalReplay;
import dev.sluice.sink.target.ColumnTypes;
import dev.sluice.sink.target.TargetServer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Starts a pipeline from what the target says: claims the next epoch, so that no other task writes
 * any more, and makes the input of the layout. Used once, by the task's thread.
 */
final class SinkStart {
  private final ConnectorSettings settings;
  private final Set<TopicPartition> assigned;
  private final Optional<ErrantRecordReporter> reporter;
  private final Clock clock;
  private final String task;
  private final TargetServer target;
  private final CheckpointStore checkpoints;
  private final PartitionCheckpoints partitions;

  /**
   * @param reporter takes records that cannot be read; empty where these fail the task
   */
  SinkStart(
      ConnectorSettings settings,
      Set<TopicPartition> assigned,
      Optional<ErrantRecordReporter> reporter,
      Clock clock) {
    this.settings = settings;
    this.reporter = reporter;
    this.assigned = Set.copyOf(assigned);
    this.clock = clock;
    this.task = settings.task().text();
    this.target = settings.targetServer();
    this.checkpoints = new CheckpointStore(target, settings.controlSchema());
    this.partitions = new PartitionCheckpoints(target, settings.controlSchema());
  }

  /**
   * Claims and starts.
   *
   * @throws SluiceException.Retryable where the target or Kafka cannot be reached at present
   * @throws SluiceException.Fatal where the task cannot go on
   */
  ConnectedSink start() {
    checkpoints.create();
    switch (settings.layout()) {
      case JOURNAL:
      case ORDERED:
        return onePartition(assigned.iterator().next());
      case TABLES_WITH_TRANSACTIONS:
        return joined();
      case TABLES:
        return relaxed();
      default:
        throw new IllegalStateException("BUG: no start for " + settings.layout());
    }
  }

  private ConnectedSink onePartition(TopicPartition partition) {
    Checkpoint claimed = checkpoints.claim(task);
    Checkpoint start;
    try (KafkaTopics topics = new KafkaTopics(settings.kafka())) {
      Extent extent = topics.extent(partition);
      start =
          StartPoint.of(claimed, settings.start(), extent, partition.topic(), settings.layout());
      if (settings.layout() == TopicLayout.JOURNAL) {
        StartPoint.refuseBeheaded(start, extent, settings.kafka(), partition.topic());
      }
    }
    if (!start.equals(claimed)) {
      checkpoints.write(start);
    }
    TopicInput input =
        settings.layout() == TopicLayout.JOURNAL
            ? new JournalInput(
                settings.kafka(),
                partition,
                settings.schemaTopic().orElseThrow(),
                start.nextOffset())
            : new OrderedInput(
                partition,
                start.place(),
                reader(),
                settings.snapshotReplaces(),
                settings.retainedDirectory());
    WindowCheckpoint rows = new WindowCheckpoint(settings.controlSchema(), start, LaneId.MAIN);
    return sink(input, start, rows, start.place(), Set.of());
  }

  private ConnectedSink joined() {
    TopicPartition transactions = new TopicPartition(settings.transactionTopic().orElseThrow(), 0);
    if (!assigned.contains(transactions)) {
      throw new SluiceException.Retryable(
          "the transaction topic %s is not assigned to this task yet"
              .formatted(transactions.topic()),
          null);
    }
    Checkpoint claimed = checkpoints.claim(task);
    Map<TopicPartition, PartitionCheckpoint> known = partitions.read(task);
    // The partitions are written before the task: a first start may have broken off between.
    boolean begun = claimed.journalTopicId().isPresent();
    if (begun && !known.containsKey(transactions)
        || known.values().stream().anyMatch(row -> row.epoch() > 0)) {
      throw otherLayout();
    }
    Optional<Position> given = settings.start().filter(position -> !position.equals(Position.ZERO));
    Map<TopicPartition, Extent> extents = extents();
    Map<TopicPartition, PartitionPlace> places = new HashMap<>();
    Set<TopicPartition> fresh = new HashSet<>();
    for (TopicPartition partition : assigned) {
      Optional<PartitionCheckpoint> row = Optional.ofNullable(known.get(partition));
      places.put(
          partition,
          StartPoint.of(row, partition, extents.get(partition), !begun && given.isPresent()));
      if (begun && row.isEmpty()) {
        fresh.add(partition);
      }
    }
    Checkpoint start = claimed;
    if (!begun) {
      Position position = given.orElse(Position.ZERO);
      start =
          claimed.setTo(
              new JournalPlace(position, 0, 0, 0),
              Optional.of(extents.get(transactions).topicId()));
    }
    write(known, places, extents);
    if (!begun) {
      checkpoints.write(start);
    }
    return joined(start, transactions, places, fresh);
  }

  private ConnectedSink joined(
      Checkpoint start,
      TopicPartition transactions,
      Map<TopicPartition, PartitionPlace> places,
      Set<TopicPartition> fresh) {
    Position last = places.get(transactions).commit();
    Map<TopicPartition, Long> tables = new HashMap<>();
    places.forEach((partition, place) -> tables.put(partition, place.nextOffset()));
    tables.remove(transactions);
    KnownSchemas schemas = new KnownSchemas();
    long memory = settings.joinMemory();
    TransactionJoin join =
        new TransactionJoin(
            new TransactionJoin.Start(
                last.equals(Position.ZERO) ? start.position() : last,
                last,
                transactions,
                places.get(transactions).nextOffset(),
                tables,
                fresh),
            settings::reads,
            cluster(),
            new SpillFiles(settings.gatheredDirectory(), memory, schemas),
            memory);
    PlaceLog log = new PlaceLog(places);
    TopicInput input =
        new JoinedInput(
            start.place(),
            reader(),
            join,
            transactions,
            log,
            schemas,
            settings.snapshotReplaces(),
            settings.retainedDirectory());
    PlacedCheckpoint rows = new PlacedCheckpoint(settings.controlSchema(), start, log);
    return sink(input, start, rows, start.place(), Set.of(transactions));
  }

  private ConnectedSink relaxed() {
    if (checkpoints.read(task).isPresent()) {
      throw otherLayout();
    }
    Map<TopicPartition, PartitionCheckpoint> claimed = partitions.claim(task, assigned);
    Map<TopicPartition, Extent> extents = extents();
    Map<TopicPartition, PartitionPlace> places = new HashMap<>();
    claimed.forEach(
        (partition, row) ->
            places.put(
                partition,
                StartPoint.of(Optional.of(row), partition, extents.get(partition), false)));
    write(claimed, places, extents);
    PlaceLog log = new PlaceLog(places);
    TopicInput input =
        new RelaxedInput(
            places,
            reader(),
            cluster(),
            settings.snapshotReplaces(),
            log,
            settings.retainedDirectory());
    PartitionRows rows = new PartitionRows(settings.controlSchema(), task, claimed.values(), log);
    Checkpoint name =
        new Checkpoint(
            task, 0, Position.ZERO, Position.ZERO, 0, 0, 0, Optional.empty(), Optional.empty());
    return sink(input, name, rows, PartitionRows.placeAfter(0), Set.of());
  }

  /** Writes those that begin. */
  private void write(
      Map<TopicPartition, PartitionCheckpoint> known,
      Map<TopicPartition, PartitionPlace> places,
      Map<TopicPartition, Extent> extents) {
    List<PartitionCheckpoint> begin = new ArrayList<>();
    places.forEach(
        (partition, place) -> {
          PartitionCheckpoint row =
              known.getOrDefault(
                  partition, new PartitionCheckpoint(partition, 0, place, Optional.empty()));
          if (row.topicId().isEmpty()) {
            begin.add(row.at(place, extents.get(partition).topicId()));
          }
        });
    if (!begin.isEmpty()) {
      partitions.write(task, begin);
    }
  }

  private ConnectedSink sink(
      TopicInput input,
      Checkpoint start,
      CheckpointRows rows,
      JournalPlace place,
      Set<TopicPartition> alwaysRead) {
    try {
      BatchApplier applier =
          new BatchApplier(
              target,
              LaneStart.with(rows, start, place),
              new SuspendedTables(settings.controlSchema(), task).read(target),
              settings::targetOf,
              new JournalReplay(input.again(), input.schemas()),
              settings.applySettings(),
              clock);
      SinkSettings sinkSettings = settings.sinkSettings();
      SinkPipeline pipeline =
          SinkPipeline.start(() -> sinkSettings, place, input.schemas(), applier);
      return new ConnectedSink(
          assigned,
          alwaysRead,
          place.nextOffset(),
          input,
          pipeline,
          new LogStarts(settings.kafka()));
    } catch (RuntimeException e) {
      input.close();
      throw e;
    }
  }

  private Function<SinkRecord, DebeziumRecord> reader() {
    ColumnTypes types = new ColumnTypes(target);
    PlainValues plain =
        new PlainValues(
            table -> types.of(settings.targetOf(table)),
            settings.sourceDecimals(),
            settings.sourceBinaries());
    EnvelopeReader envelopes = new EnvelopeReader(settings.placeholder(), plain);
    return reporter
        .<Function<SinkRecord, DebeziumRecord>>map(
            found -> new ErrantRecords(envelopes::read, found))
        .orElse(envelopes::read);
  }

  private Map<TopicPartition, Extent> extents() {
    try (KafkaTopics topics = new KafkaTopics(settings.kafka())) {
      return topics.extents(assigned);
    }
  }

  private Cluster cluster() {
    return topic -> {
      try (KafkaTopics topics = new KafkaTopics(settings.kafka())) {
        return topics.partitions(topic);
      }
    };
  }

  private SluiceException.Fatal otherLayout() {
    return new SluiceException.Fatal(
        new Problem(
            ConnectorProperties.TASK_NAME,
            "the target has a checkpoint of %s from another layout or another transaction topic"
                .formatted(task),
            "one layout for one task.name",
            "Begin with another task.name, or forget the checkpoint (DELETE …/offsets) and load the"
                + " tables again"));
  }
}
