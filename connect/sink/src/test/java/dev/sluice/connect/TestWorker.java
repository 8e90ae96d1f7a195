package dev.sluice.connect;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.MetricValueProvider;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;

/**
 * Does with a sink task what a Connect worker does, turn by turn on the test's thread: rewinds to
 * the offsets it asked for, polls no longer than it asked for, puts the same records again after a
 * RetriableException, commits what preCommit gives.
 */
public final class TestWorker implements SinkTaskContext, AutoCloseable {
  private static final Duration LONGEST_POLL = Duration.ofMillis(50);

  /** As Connect's, which waits for its next commit where a task asks for nothing. */
  private static final Duration UNASKED = Duration.ofSeconds(30);

  private final Map<String, String> properties;
  private final Set<TopicPartition> partitions;
  private final Function<ConsumerRecord<byte[], byte[]>, SinkRecord> converter;
  private final String servers;
  private KafkaConsumer<byte[], byte[]> consumer;
  private final SkippingClock clock = new SkippingClock();
  private final SluiceSinkTask task = new SluiceSinkTask(clock);
  private final Map<TopicPartition, Long> rewind = new HashMap<>();
  private final Set<TopicPartition> paused = new HashSet<>();

  private final Map<String, Gauge<?>> gauges = new HashMap<>();
  private final List<String> errant = new ArrayList<>();
  private final PluginMetrics metrics = new Gauges();

  private List<SinkRecord> batch = List.of();
  private Duration timeout = LONGEST_POLL;
  private boolean commitRequested;
  private int redeliveries;
  private int unasked;

  /** For the bytes of a journal. */
  TestWorker(String servers, TopicPartition partition, Map<String, String> properties) {
    this(servers, Set.of(partition), properties, TestWorker::bytes);
  }

  TestWorker(
      String servers,
      Set<TopicPartition> partitions,
      Map<String, String> properties,
      Function<ConsumerRecord<byte[], byte[]>, SinkRecord> converter) {
    this.properties = properties;
    this.partitions = new HashSet<>(partitions);
    this.converter = converter;
    this.servers = servers;
    this.consumer = consumer();
    consumer.assign(partitions);
  }

  public TestWorker start() {
    task.initialize(this);
    task.start(properties);
    task.open(partitions);
    rewind();
    return this;
  }

  /** As where partitions go to another task, or come from one; the others stay. */
  public void rebalance(Set<TopicPartition> other) {
    commit();
    Set<TopicPartition> lost = new HashSet<>(partitions);
    lost.removeAll(other);
    Set<TopicPartition> gained = new HashSet<>(other);
    gained.removeAll(partitions);
    if (!lost.isEmpty()) {
      task.close(lost);
    }
    partitions.clear();
    partitions.addAll(other);
    batch = batch.stream().filter(record -> !lost.contains(partitionOf(record))).toList();
    paused.retainAll(partitions);
    consumer.assign(partitions);
    if (!gained.isEmpty()) {
      task.open(gained);
    }
    rewind();
  }

  /** One iteration of the worker's loop. */
  public void turn() {
    if (partitions.isEmpty()) {
      return;
    }
    rewind();
    if (batch.isEmpty()) {
      batch = records(timeout);
    } else {
      consumer.pause(consumer.assignment());
      consumer.poll(timeout);
      consumer.resume(consumer.assignment());
      consumer.pause(paused);
    }
    timeout = UNASKED;
    try {
      task.put(batch);
      batch = List.of();
      unasked += timeout.equals(UNASKED) ? 1 : 0;
    } catch (RetriableException e) {
      redeliveries++;
    }
    if (commitRequested) {
      commitRequested = false;
      commit();
    }
  }

  /** Turns until the task fails; the patience ends with another exception than the task's. */
  public void turnUntilItFails() {
    ConnectLab.await()
        .until(
            () -> {
              turn();
              return false;
            });
  }

  void commit() {
    Map<TopicPartition, OffsetAndMetadata> consumed = new HashMap<>();
    partitions.forEach(
        partition -> consumed.put(partition, new OffsetAndMetadata(consumer.position(partition))));
    Map<TopicPartition, OffsetAndMetadata> durable = task.preCommit(consumed);
    if (!durable.isEmpty()) {
      consumer.commitSync(durable);
    }
  }

  void commitByHand(long offset) {
    consumer.commitSync(Map.of(partitions.iterator().next(), new OffsetAndMetadata(offset)));
  }

  public long committed() {
    return committed(partitions.iterator().next());
  }

  public long committed(TopicPartition partition) {
    OffsetAndMetadata offset = consumer.committed(Set.of(partition)).get(partition);
    return offset == null ? -1 : offset.offset();
  }

  public int redeliveries() {
    return redeliveries;
  }

  /** How often the task did not say when it is to be called again where no records come. */
  int unasked() {
    return unasked;
  }

  /** Whether there are records that the task did not take. */
  public boolean putsAgain() {
    return !batch.isEmpty();
  }

  public boolean isPaused() {
    return !paused.isEmpty();
  }

  /** Something happens while nothing is fetched, as where Kafka cannot be reached. */
  public void away(Callable<?> happening) throws Exception {
    Map<TopicPartition, Long> places = new HashMap<>();
    partitions.forEach(partition -> places.put(partition, consumer.position(partition)));
    // What was asked for already would still come.
    consumer.close();
    happening.call();
    consumer = consumer();
    consumer.assign(partitions);
    places.forEach(consumer::seek);
  }

  /** So much time passes for the task. */
  public void skip(Duration time) {
    clock.skipped = clock.skipped.plus(time);
  }

  /** As where a worker ends whose task has not been asked to close its partitions. */
  void stopAlone() {
    task.stop();
  }

  /** As where a worker is killed: the task is not told. */
  public void vanish() {
    consumer.close();
  }

  @Override
  public void close() {
    commit();
    task.close(List.copyOf(partitions));
    task.stop();
    consumer.close();
  }

  private void rewind() {
    rewind.forEach(consumer::seek);
    rewind.clear();
  }

  private List<SinkRecord> records(Duration patience) {
    List<SinkRecord> records = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(patience)) {
      records.add(converter.apply(record));
    }
    return records;
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            servers,
            "group.id",
            "connect-" + properties.get("name"),
            "enable.auto.commit",
            "false",
            "max.poll.records",
            "200",
            "auto.offset.reset",
            "earliest"),
        bytes,
        bytes);
  }

  private static TopicPartition partitionOf(SinkRecord record) {
    return new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
  }

  private static SinkRecord bytes(ConsumerRecord<byte[], byte[]> record) {
    return new SinkRecord(
        record.topic(),
        record.partition(),
        Schema.OPTIONAL_BYTES_SCHEMA,
        record.key(),
        Schema.OPTIONAL_BYTES_SCHEMA,
        record.value(),
        record.offset(),
        record.timestamp(),
        TimestampType.CREATE_TIME);
  }

  @Override
  public Map<String, String> configs() {
    return properties;
  }

  @Override
  public void offset(Map<TopicPartition, Long> offsets) {
    rewind.putAll(offsets);
  }

  @Override
  public void offset(TopicPartition from, long offset) {
    rewind.put(from, offset);
  }

  @Override
  public void timeout(long millis) {
    timeout = Duration.ofMillis(Math.min(millis, LONGEST_POLL.toMillis()));
  }

  @Override
  public Set<TopicPartition> assignment() {
    return consumer.assignment();
  }

  @Override
  public void pause(TopicPartition... partitions) {
    paused.addAll(List.of(partitions));
    consumer.pause(List.of(partitions));
  }

  @Override
  public void resume(TopicPartition... partitions) {
    Collection<TopicPartition> resumed = List.of(partitions);
    paused.removeAll(resumed);
    consumer.resume(resumed);
  }

  @Override
  public void requestCommit() {
    commitRequested = true;
  }

  @Override
  public PluginMetrics pluginMetrics() {
    return metrics;
  }

  /** A gauge's value. */
  public Object metric(String name) {
    return gauges.get(name + "{}").value(null, 0);
  }

  /** The value of a gauge with a tag. */
  public double metric(String name, String tag, Object value) {
    return (Double) gauges.get(name + Map.of(tag, value.toString())).value(null, 0);
  }

  @Override
  public ErrantRecordReporter errantRecordReporter() {
    return properties.containsKey("errors.tolerance")
        ? (record, error) -> {
          errant.add(error.getMessage());
          return CompletableFuture.completedFuture(null);
        }
        : null;
  }

  public List<String> errant() {
    return errant;
  }

  private static final class SkippingClock extends Clock {
    private volatile Duration skipped = Duration.ZERO;

    @Override
    public Instant instant() {
      return Instant.now().plus(skipped);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }
  }

  private final class Gauges implements PluginMetrics {
    @Override
    public MetricName metricName(
        String name, String description, LinkedHashMap<String, String> tags) {
      return new MetricName(name, "plugins", description, tags);
    }

    @Override
    public void addMetric(MetricName name, MetricValueProvider<?> provider) {
      gauges.put(name.name() + name.tags(), (Gauge<?>) provider);
    }

    @Override
    public void removeMetric(MetricName name) {
      gauges.remove(name.name() + name.tags());
    }

    @Override
    public Sensor addSensor(String name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void removeSensor(String name) {
      throw new UnsupportedOperationException();
    }
  }
}
