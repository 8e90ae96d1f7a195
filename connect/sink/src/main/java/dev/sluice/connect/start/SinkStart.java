package dev.sluice.connect.start;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.input.JournalInput;
import dev.sluice.connect.input.OrderedInput;
import dev.sluice.connect.input.PartitionOffsetLog;
import dev.sluice.connect.input.RelaxedInput;
import dev.sluice.connect.input.TopicInput;
import dev.sluice.connect.settings.ConnectorSettings;
import dev.sluice.connect.settings.KafkaTopics.Extent;
import dev.sluice.connect.settings.SinkConnectorProperties;
import dev.sluice.connect.settings.StartPoint;
import dev.sluice.connect.settings.TopicLayout;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.position.PartitionCheckpoint;
import dev.sluice.sink.control.position.PartitionCheckpoints;
import dev.sluice.sink.control.position.PartitionOffset;
import dev.sluice.sink.control.position.PartitionRows;
import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.lane.LaneId;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.ErrantRecordReporter;

/**
 * Starts a pipeline from the target's checkpoint: claims the next epoch, so that no other task can
 * write, and creates the input of the layout. Used once, by the task's thread.
 */
public final class SinkStart {
  /**
   * How long to wait for a window that an abandoned task is still applying. Short, since Connect
   * considers a task dead while its thread waits.
   */
  static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(5);

  private final ConnectorSettings settings;
  private final SinkAssembly assembly;
  private final String task;
  private final CheckpointStore checkpoints;
  private final PartitionCheckpoints partitions;

  /**
   * @param reporter gets records that cannot be read; empty if these fail the task
   */
  public SinkStart(
      ConnectorSettings settings,
      Set<TopicPartition> assigned,
      Optional<ErrantRecordReporter> reporter,
      Clock clock) {
    this.settings = settings;
    this.assembly = new SinkAssembly(settings, assigned, reporter, clock);
    this.task = settings.task().text();
    this.checkpoints = new CheckpointStore(assembly.target(), settings.controlSchema());
    this.partitions = new PartitionCheckpoints(assembly.target(), settings.controlSchema());
  }

  /**
   * Claims the task and starts the sink.
   *
   * @throws SluiceException.Retryable if the target or Kafka cannot be reached at present
   * @throws SluiceException.Fatal if the task cannot continue
   */
  public ConnectedSink start() {
    checkpoints.create();
    switch (settings.layout()) {
      case JOURNAL:
      case ORDERED:
        return onePartition(assembly.assigned().iterator().next());
      case TABLES_WITH_TRANSACTIONS:
        return new JoinedStart(assembly, checkpoints, partitions).start();
      case TABLES:
        return relaxed();
      default:
        throw new IllegalStateException("BUG: no start for " + settings.layout());
    }
  }

  private ConnectedSink onePartition(TopicPartition partition) {
    Checkpoint claimed = checkpoints.claim(task, CLAIM_TIMEOUT);
    Map<TopicPartition, Extent> extents = assembly.extents();
    Extent extent = extents.get(partition);
    Checkpoint start =
        StartPoint.of(claimed, settings.start(), extent, partition.topic(), settings.layout());
    if (settings.layout() == TopicLayout.JOURNAL) {
      StartPoint.refuseBeheaded(start, extent, settings.kafka(), partition.topic());
    }
    if (!start.equals(claimed)) {
      checkpoints.write(start);
    }
    TopicInput input =
        settings.layout() == TopicLayout.JOURNAL
            ? new JournalInput(
                settings.kafka(),
                partition,
                settings.input().schemaTopic().orElseThrow(),
                start.nextOffset())
            : new OrderedInput(partition, start.place(), assembly.reading());
    WindowCheckpoint rows = new WindowCheckpoint(settings.controlSchema(), start, LaneId.MAIN);
    return assembly.sink(input, start, rows, start.place(), extents, Set.of());
  }

  private ConnectedSink relaxed() {
    if (checkpoints.read(task).isPresent()) {
      throw otherLayout(task);
    }
    Map<TopicPartition, PartitionCheckpoint> claimed =
        partitions.claim(task, assembly.assigned(), CLAIM_TIMEOUT);
    Map<TopicPartition, Extent> extents = assembly.extents();
    Map<TopicPartition, PartitionOffset> places = new HashMap<>();
    claimed.forEach(
        (partition, row) ->
            places.put(
                partition,
                StartPoint.of(Optional.of(row), partition, extents.get(partition), false)));
    writeNew(partitions, task, claimed, places, extents);
    PartitionOffsetLog log = new PartitionOffsetLog(places);
    TopicInput input =
        new RelaxedInput(places, assembly.reading(), assembly.cluster()::partitions, log);
    PartitionRows rows = new PartitionRows(settings.controlSchema(), task, claimed.values(), log);
    Checkpoint name =
        new Checkpoint(
            task, 0, Position.ZERO, Position.ZERO, 0, 0, 0, Optional.empty(), Optional.empty());
    return assembly.sink(input, name, rows, PartitionRows.placeAfter(0), extents, Set.of());
  }

  /** Writes the offsets of partitions that the target does not have yet. */
  static void writeNew(
      PartitionCheckpoints partitions,
      String task,
      Map<TopicPartition, PartitionCheckpoint> known,
      Map<TopicPartition, PartitionOffset> places,
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

  /** The error if the target has a checkpoint of another layout. */
  static SluiceException.Fatal otherLayout(String task) {
    return new SluiceException.Fatal(
        new Problem(
            SinkConnectorProperties.TASK_NAME,
            "the target has a checkpoint of %s from another layout or another transaction topic"
                .formatted(task),
            "one layout for one task.name",
            "Begin with another task.name, or forget the checkpoint (DELETE …/offsets) and load the"
                + " tables again"));
  }
}
