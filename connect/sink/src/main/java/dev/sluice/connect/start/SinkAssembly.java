package dev.sluice.connect.start;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.EnvelopeReader;
import dev.sluice.connect.envelope.PlainValues;
import dev.sluice.connect.input.EventReading;
import dev.sluice.connect.input.TopicInput;
import dev.sluice.connect.join.JoinRequests;
import dev.sluice.connect.settings.ConnectorSettings;
import dev.sluice.connect.settings.KafkaTopics;
import dev.sluice.connect.settings.KafkaTopics.Extent;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.LaneStart;
import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.suspension.SuspendedTables;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.replay.JournalReplay;
import dev.sluice.sink.target.ColumnTypes;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetServer;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Builds a task's pipeline for any layout of its topics: record reader, applier and the checks of
 * Kafka. Immutable; used by the task's thread.
 */
final class SinkAssembly {
  private final ConnectorSettings settings;
  private final Set<TopicPartition> assigned;
  private final Optional<ErrantRecordReporter> reporter;
  private final Clock clock;
  private final TargetServer target;

  /**
   * @param reporter gets records that cannot be read; empty if these fail the task
   */
  SinkAssembly(
      ConnectorSettings settings,
      Set<TopicPartition> assigned,
      Optional<ErrantRecordReporter> reporter,
      Clock clock) {
    this.settings = settings;
    this.assigned = Set.copyOf(assigned);
    this.reporter = reporter;
    this.clock = clock;
    this.target = settings.targetServer();
  }

  ConnectorSettings settings() {
    return settings;
  }

  /** The partitions that are assigned to the task. */
  Set<TopicPartition> assigned() {
    return assigned;
  }

  TargetServer target() {
    return target;
  }

  /**
   * Starts the pipeline with a claimed epoch.
   *
   * @param input closed by the sink, or here if the sink cannot be created
   * @param place where it starts
   * @param extents the extents of the partitions
   * @param alwaysRead partitions that are read even while the pipeline has no room
   */
  ConnectedSink sink(
      TopicInput input,
      Checkpoint start,
      CheckpointRows rows,
      JournalOffset place,
      Map<TopicPartition, Extent> extents,
      Set<TopicPartition> alwaysRead) {
    try {
      BatchApplier applier =
          new BatchApplier(
              target,
              LaneStart.with(
                  rows,
                  start,
                  place,
                  new SuspendedTables(settings.controlSchema(), settings.task().text())
                      .read(target)),
              settings::targetOf,
              new JournalReplay(input.again(), input.schemas()),
              settings.applySettings(),
              clock);
      SinkSettings sinkSettings = settings.sinkSettings();
      SinkPipeline pipeline =
          SinkPipeline.start(() -> sinkSettings, place, input.schemas(), applier);
      return new ConnectedSink(
          assigned.stream().filter(each -> !alwaysRead.contains(each)).collect(Collectors.toSet()),
          place.nextOffset(),
          input,
          pipeline,
          KafkaTopics.idsOf(extents),
          new ReadTopics(settings.kafka()));
    } catch (RuntimeException e) {
      input.close();
      throw e;
    }
  }

  /** How the records of Debezium's connector are read. */
  EventReading reading() {
    return new EventReading(reader(), settings.snapshotReplaces(), settings.retainedSpace());
  }

  private Function<SinkRecord, DebeziumRecord> reader() {
    ColumnTypes types = new ColumnTypes(target);
    PlainValues plain =
        new PlainValues(
            (table, column) -> types.of(settings.targetOf(table), column),
            settings.sourceDecimals(),
            settings.sourceBinaries(),
            target.dialect().limits().contains(TargetLimit.PLAIN_JSON)
                ? Optional.of(target.dialect().type())
                : Optional.empty());
    EnvelopeReader envelopes = new EnvelopeReader(settings.placeholder(), plain);
    return reporter
        .<Function<SinkRecord, DebeziumRecord>>map(
            found -> new ErrantRecords(envelopes::read, found))
        .orElse(envelopes::read);
  }

  /** The extents of the partitions. */
  Map<TopicPartition, Extent> extents() {
    try (KafkaTopics topics = new KafkaTopics(settings.kafka())) {
      return topics.extents(assigned);
    }
  }

  JoinRequests cluster() {
    return new KafkaCluster(settings.kafka());
  }
}
