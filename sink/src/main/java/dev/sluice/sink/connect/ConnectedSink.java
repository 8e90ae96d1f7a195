package dev.sluice.sink.connect;

import dev.sluice.config.SluiceException;
import dev.sluice.sink.Demand;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.checkpoint.Checkpoint;
import dev.sluice.sink.checkpoint.CheckpointStore;
import dev.sluice.sink.checkpoint.SuspendedTables;
import dev.sluice.sink.connect.KafkaTopics.Extent;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.replay.JournalReplay;
import dev.sluice.sink.target.TargetServer;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * A pipeline under a claimed epoch, fed by one partition. Single use: after a failure a new one is
 * made under the next epoch. Owned by the task's thread.
 */
final class ConnectedSink implements AutoCloseable {
  private final TopicPartition partition;
  private final long startOffset;
  private final TopicInput input;
  private final SinkPipeline pipeline;
  private boolean paused;

  private ConnectedSink(
      TopicPartition partition, long startOffset, TopicInput input, SinkPipeline pipeline) {
    this.partition = partition;
    this.startOffset = startOffset;
    this.input = input;
    this.pipeline = pipeline;
  }

  /**
   * Claims the next epoch, so that no other task writes any more, and starts from what the target
   * says.
   *
   * @throws SluiceException.Retryable where the target or Kafka cannot be reached at present
   * @throws SluiceException.Fatal where the task cannot go on
   */
  static ConnectedSink start(ConnectorSettings settings, TopicPartition partition, Clock clock) {
    TargetServer target = settings.targetServer();
    CheckpointStore checkpoints = new CheckpointStore(target, settings.controlSchema());
    checkpoints.create();
    Checkpoint claimed = checkpoints.claim(settings.task().text());
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
    TopicInput input = input(settings, partition, start);
    try {
      return new ConnectedSink(
          partition, start.nextOffset(), input, pipeline(settings, target, start, input, clock));
    } catch (RuntimeException e) {
      input.close();
      throw e;
    }
  }

  private static TopicInput input(
      ConnectorSettings settings, TopicPartition partition, Checkpoint start) {
    switch (settings.layout()) {
      case JOURNAL:
        return new JournalInput(
            settings.kafka(),
            partition.topic(),
            settings.schemaTopic().orElseThrow(),
            start.nextOffset());
      case ORDERED:
        return new OrderedInput(
            placeOf(start),
            settings.placeholder(),
            settings.snapshotReplaces(),
            settings.retainedDirectory());
      default:
        throw new IllegalStateException("BUG: no input for " + settings.layout());
    }
  }

  private static JournalPlace placeOf(Checkpoint checkpoint) {
    return new JournalPlace(
        checkpoint.position(),
        checkpoint.journalTerm(),
        checkpoint.journalTransaction(),
        checkpoint.nextOffset());
  }

  private static SinkPipeline pipeline(
      ConnectorSettings settings,
      TargetServer target,
      Checkpoint start,
      TopicInput input,
      Clock clock) {
    BatchApplier applier =
        new BatchApplier(
            target,
            start,
            new SuspendedTables(settings.controlSchema(), start.task()).read(target),
            settings::targetOf,
            new JournalReplay(input.again(), input.schemas()),
            settings.applySettings(),
            clock);
    SinkSettings sinkSettings = settings.sinkSettings();
    return SinkPipeline.start(() -> sinkSettings, placeOf(start), input.schemas(), applier);
  }

  /** From where records must come, whatever the consumer group has committed. */
  Map<TopicPartition, Long> startOffsets() {
    return Map.of(partition, startOffset);
  }

  /**
   * Takes the next records, or none.
   *
   * @throws SluiceException what ended the pipeline; this sink is then to be closed
   */
  Demand accept(Collection<SinkRecord> records, Instant now) {
    Demand demand = pipeline.accept(input.entries(records), records.isEmpty() && !paused, now);
    paused = demand.pause();
    input.durable(pipeline.progress().apply().durable().nextOffset());
    return demand;
  }

  /** Up to where records are on the target for good. */
  Map<TopicPartition, Long> durableOffsets() {
    return Map.of(partition, pipeline.progress().apply().durable().nextOffset());
  }

  SinkProgress progress() {
    return pipeline.progress();
  }

  /** What is being applied is finished; the rest comes again. Idempotent. */
  @Override
  public void close() {
    pipeline.close();
    input.close();
  }
}
