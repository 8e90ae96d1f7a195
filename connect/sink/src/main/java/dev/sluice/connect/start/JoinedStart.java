package dev.sluice.connect.start;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.input.JoinedInput;
import dev.sluice.connect.input.KnownSchemas;
import dev.sluice.connect.input.PartitionOffsetLog;
import dev.sluice.connect.input.TopicInput;
import dev.sluice.connect.join.SpillFiles;
import dev.sluice.connect.join.TransactionJoin;
import dev.sluice.connect.settings.ConnectorSettings;
import dev.sluice.connect.settings.KafkaTopics.Extent;
import dev.sluice.connect.settings.StartPoint;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionCheckpoint;
import dev.sluice.sink.control.position.PartitionCheckpoints;
import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.position.PartitionedCheckpoint;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.intake.JournalOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Starts the layout with a topic for each table and one for the transactions. It claims the task's
 * checkpoint; the partitions' checkpoints belong to it. Used once, by the task's thread.
 */
final class JoinedStart {
  private final SinkAssembly assembly;
  private final ConnectorSettings settings;
  private final String task;
  private final CheckpointStore checkpoints;
  private final PartitionCheckpoints partitions;

  JoinedStart(SinkAssembly assembly, CheckpointStore checkpoints, PartitionCheckpoints partitions) {
    this.assembly = assembly;
    this.settings = assembly.settings();
    this.task = settings.task().text();
    this.checkpoints = checkpoints;
    this.partitions = partitions;
  }

  /**
   * Claims the task and starts the sink.
   *
   * @throws SluiceException.Retryable if the transaction topic is not assigned, or target or Kafka
   *     cannot be reached at present
   * @throws SluiceException.Fatal if the task cannot continue
   */
  ConnectedSink start() {
    TopicPartition transactions =
        new TopicPartition(settings.input().transactionTopic().orElseThrow(), 0);
    if (!assembly.assigned().contains(transactions)) {
      throw new SluiceException.Retryable(
          "the transaction topic %s is not assigned to this task yet"
              .formatted(transactions.topic()),
          null);
    }
    Checkpoint claimed = checkpoints.claim(task, SinkStart.CLAIM_TIMEOUT);
    Map<TopicPartition, PartitionCheckpoint> known = partitions.read(task);
    // The partitions are written before the task: an earlier first start may have ended between the
    // two.
    boolean begun = claimed.journalTopicId().isPresent();
    if (begun && !known.containsKey(transactions)
        || known.values().stream().anyMatch(row -> row.epoch() > 0)) {
      throw SinkStart.otherLayout(task);
    }
    Optional<Position> given = settings.start().filter(position -> !position.equals(Position.ZERO));
    Map<TopicPartition, Extent> extents = assembly.extents();
    Map<TopicPartition, PartitionOffset> places = new HashMap<>();
    for (TopicPartition partition : assembly.assigned()) {
      Optional<PartitionCheckpoint> row = Optional.ofNullable(known.get(partition));
      places.put(
          partition,
          StartPoint.of(row, partition, extents.get(partition), !begun && given.isPresent()));
    }
    if (begun) {
      Position onTarget = onTarget(claimed, places.get(transactions));
      places.replaceAll(
          (partition, place) ->
              known.containsKey(partition) ? place : place.takenInAfter(onTarget));
    }
    Checkpoint start = claimed;
    if (!begun) {
      Position position = given.orElse(Position.ZERO);
      start =
          claimed.setTo(
              new JournalOffset(position, 0, 0, 0),
              Optional.of(extents.get(transactions).topicId()));
    }
    SinkStart.writeNew(partitions, task, known, places, extents);
    if (!begun) {
      checkpoints.write(start);
    }
    return start(start, transactions, places, extents);
  }

  private static Position onTarget(Checkpoint start, PartitionOffset ends) {
    return ends.commit().equals(Position.ZERO) ? start.position() : ends.commit();
  }

  private ConnectedSink start(
      Checkpoint start,
      TopicPartition transactions,
      Map<TopicPartition, PartitionOffset> places,
      Map<TopicPartition, Extent> extents) {
    Map<TopicPartition, PartitionOffset> tables = new HashMap<>(places);
    PartitionOffset ends = tables.remove(transactions);
    KnownSchemas schemas = new KnownSchemas();
    long memory = settings.joinMemory();
    TransactionJoin join =
        new TransactionJoin(
            new TransactionJoin.Start(onTarget(start, ends), transactions, ends, tables),
            settings.input()::reads,
            assembly.cluster(),
            new SpillFiles(
                settings.gatheredDirectory(), memory, settings.retainedSpace().limit(), schemas),
            memory);
    PartitionOffsetLog log = new PartitionOffsetLog(places);
    TopicInput input = new JoinedInput(start.place(), assembly.reading(), join, log, schemas);
    PartitionedCheckpoint rows = new PartitionedCheckpoint(settings.controlSchema(), start, log);
    return assembly.sink(input, start, rows, start.place(), extents, Set.of(transactions));
  }
}
