package dev.sluice.connect;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.connect.settings.ConnectorSettings;
import dev.sluice.connect.start.ConnectedSink;
import dev.sluice.connect.start.SinkStart;
import dev.sluice.connect.version.PluginVersion;
import dev.sluice.sink.target.kind.TargetServers;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adapts the sink's pipeline to Kafka Connect's task interface. One thread makes all calls. Windows
 * are applied by the pipeline's own thread, so a slow target pauses the consumer and causes no
 * rebalance.
 *
 * <p>Offsets and position come only from the target. The offsets that the consumer group commits
 * are for information.
 */
public final class SluiceSinkTask extends SinkTask {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceSinkTask.class);

  /** After records, how soon to check whether there are more. */
  private static final Duration END_CHECK = Duration.ofMillis(20);

  private final Clock clock;
  private final MonotonicClock intervals;
  private final TaskMetrics metrics = new TaskMetrics();
  private final Set<TopicPartition> assigned = new HashSet<>();

  private ConnectorSettings settings;

  /** Null while no partition is assigned, or after a recoverable failure. */
  private ConnectedSink sink;

  /**
   * True if Connect will repeat the last records in {@link #put}, even if partitions are opened in
   * between.
   */
  private boolean putsAgain;

  private Retries retries;
  private Set<TopicPartition> paused = Set.of();
  private Map<TopicPartition, Long> requestedOffsets = Map.of();

  public SluiceSinkTask() {
    this(Clock.systemUTC());
  }

  SluiceSinkTask(Clock clock) {
    this.clock = clock;
    this.intervals = new MonotonicClock(clock);
  }

  @Override
  public String version() {
    return PluginVersion.text();
  }

  @Override
  public void start(Map<String, String> properties) {
    try {
      settings = ConnectorSettings.of(properties);
      settings.targetServer();
    } catch (SluiceException e) {
      throw new ConnectException(e.getMessage(), e);
    }
    retries = new Retries(RetryPolicy.of(settings.taskSettings()), intervals);
    LOG.info(
        "task {} starts, layout {}, target {} {}: {}",
        settings.task(),
        settings.layout(),
        settings.target().type(),
        settings.target(),
        settings.layout().promise());
    TargetServers.dialectOf(settings.target()).untried().ifPresent(LOG::warn);
    metrics.register(context);
    settings.taskSettings().notes().forEach(note -> LOG.info("{}", note));
    settings.taskSettings().divergence().ifPresent(policies -> LOG.warn("{}", policies));
  }

  @Override
  public void open(Collection<TopicPartition> partitions) {
    assigned.addAll(partitions);
    if (settings.layout().isOneTopic() && assigned.size() > 1) {
      throw new ConnectException(
          "the layout %s has one partition, this task was given %d: %s"
              .formatted(settings.layout(), assigned.size(), assigned));
    }
    // A new start must not begin with records that were read from another offset: it is made when
    // they are put.
    if (!assigned.isEmpty() && !putsAgain) {
      begin();
    }
  }

  @Override
  public void put(Collection<SinkRecord> records) {
    metrics.note(intervals.instant());
    if (assigned.isEmpty()) {
      return;
    }
    putsAgain = false;
    if (sink == null) {
      if (!begin()) {
        putsAgain = !records.isEmpty();
        throw new RetriableException("not started yet, see the log");
      }
      // These were read from another offset; they come again from the target's offset.
      return;
    }
    try {
      obey(sink.accept(records, intervals.instant()), records.isEmpty());
    } catch (SluiceException e) {
      giveUp();
      putsAgain = !records.isEmpty();
      retryOrFail(e);
    }
  }

  @Override
  public Map<TopicPartition, OffsetAndMetadata> preCommit(
      Map<TopicPartition, OffsetAndMetadata> consumed) {
    if (sink == null) {
      return Map.of();
    }
    Map<TopicPartition, OffsetAndMetadata> durable = new HashMap<>();
    sink.durableOffsets()
        .forEach(
            (partition, offset) -> {
              if (consumed.containsKey(partition)) {
                durable.put(partition, new OffsetAndMetadata(offset));
              }
            });
    return durable;
  }

  @Override
  public void close(Collection<TopicPartition> partitions) {
    assigned.removeAll(partitions);
    giveUp();
  }

  @Override
  public void stop() {
    giveUp();
  }

  /** Starts from the target's checkpoint. Returns false if the start is to be retried. */
  private boolean begin() {
    giveUp();
    try {
      sink = new SinkStart(settings, assigned, reporter(), clock).start();
      metrics.began(sink::progress);
    } catch (SluiceException e) {
      try {
        retryOrFail(e);
      } catch (RetriableException later) {
        return false;
      }
    }
    resume(paused);
    paused = Set.of();
    requestedOffsets = sink.startOffsets();
    context.offset(requestedOffsets);
    LOG.info("reads from {}", requestedOffsets);
    return true;
  }

  /** The reporter of records that cannot be read; present if errors.tolerance=all. */
  private Optional<ErrantRecordReporter> reporter() {
    try {
      return Optional.ofNullable(context.errantRecordReporter());
    } catch (NoSuchMethodError | NoClassDefFoundError e) {
      // Workers before Kafka 2.6 have no reporter.
      return Optional.empty();
    }
  }

  private void giveUp() {
    if (sink != null) {
      if (sink.progress().apply().windows() > 0) {
        retries.succeeded();
      }
      ConnectedSink old = sink;
      sink = null;
      try {
        old.close();
      } finally {
        metrics.ended();
      }
    }
  }

  /** Decides about a failure: asks Connect to put the records again later, or fails the task. */
  private void retryOrFail(SluiceException failure) {
    boolean mayPass =
        failure instanceof SluiceException.Retryable || failure instanceof SluiceException.Rewound;
    if (!mayPass) {
      throw new ConnectException(failure.getMessage(), failure);
    }
    Optional<Duration> wait = retries.failed();
    if (wait.isEmpty()) {
      throw new ConnectException(
          "given up after %d tries: %s".formatted(retries.failures(), failure.getMessage()),
          failure);
    }
    metrics.retried();
    LOG.warn(
        "failed {} times in a row, restarts from the target's checkpoint in {} ms: {}",
        retries.failures(),
        wait.get().toMillis(),
        failure.getMessage());
    context.timeout(Math.max(1, wait.get().toMillis()));
    throw new RetriableException(failure.getMessage(), failure);
  }

  private void obey(ConnectedSink.Flow flow, boolean polledNothing) {
    Set<TopicPartition> more = new HashSet<>(flow.paused());
    more.removeAll(paused);
    Set<TopicPartition> less = new HashSet<>(paused);
    less.removeAll(flow.paused());
    if (!more.isEmpty()) {
      context.pause(more.toArray(TopicPartition[]::new));
    }
    resume(less);
    paused = flow.paused();
    Duration wait = flow.callAgainWithin();
    if (!polledNothing && wait.compareTo(END_CHECK) > 0) {
      wait = END_CHECK;
    }
    context.timeout(Math.max(1, wait.toMillis()));
    Map<TopicPartition, Long> durable = sink.durableOffsets();
    if (!durable.equals(requestedOffsets)) {
      requestedOffsets = durable;
      context.requestCommit();
    }
  }

  /** Resumes the partitions that are still assigned: Connect rejects others. */
  private void resume(Set<TopicPartition> partitions) {
    Set<TopicPartition> mine = new HashSet<>(partitions);
    mine.retainAll(assigned);
    if (!mine.isEmpty()) {
      context.resume(mine.toArray(TopicPartition[]::new));
    }
  }
}
