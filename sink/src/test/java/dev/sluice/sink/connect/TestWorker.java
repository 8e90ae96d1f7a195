package dev.sluice.sink.connect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;

/**
 * Does with a sink task what a Connect worker does, turn by turn on the test's thread: rewinds to
 * the offsets it asked for, polls no longer than it asked for, puts the same records again after a
 * RetriableException, commits what preCommit gives.
 */
final class TestWorker implements SinkTaskContext, AutoCloseable {
  private static final Duration LONGEST_POLL = Duration.ofMillis(200);

  private final Map<String, String> properties;
  private final TopicPartition partition;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final SluiceSinkTask task = new SluiceSinkTask();
  private final Map<TopicPartition, Long> rewind = new HashMap<>();
  private final Set<TopicPartition> paused = new HashSet<>();

  private List<SinkRecord> batch = List.of();
  private Duration timeout = LONGEST_POLL;
  private boolean commitRequested;
  private int redeliveries;

  TestWorker(String servers, TopicPartition partition, Map<String, String> properties) {
    this.properties = properties;
    this.partition = partition;
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    this.consumer =
        new KafkaConsumer<>(
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
    consumer.assign(List.of(partition));
  }

  TestWorker start() {
    task.initialize(this);
    task.start(properties);
    task.open(List.of(partition));
    rewind();
    return this;
  }

  /** One iteration of the worker's loop. */
  void turn() {
    rewind();
    if (batch.isEmpty()) {
      batch = records(timeout);
    } else {
      consumer.pause(consumer.assignment());
      consumer.poll(timeout);
      consumer.resume(consumer.assignment());
      consumer.pause(paused);
    }
    timeout = LONGEST_POLL;
    try {
      task.put(batch);
      batch = List.of();
    } catch (RetriableException e) {
      redeliveries++;
    }
    if (commitRequested) {
      commitRequested = false;
      commit();
    }
  }

  void commit() {
    Map<TopicPartition, OffsetAndMetadata> consumed =
        Map.of(partition, new OffsetAndMetadata(consumer.position(partition)));
    Map<TopicPartition, OffsetAndMetadata> durable = task.preCommit(consumed);
    if (!durable.isEmpty()) {
      consumer.commitSync(durable);
    }
  }

  void commitByHand(long offset) {
    consumer.commitSync(Map.of(partition, new OffsetAndMetadata(offset)));
  }

  long committed() {
    OffsetAndMetadata offset = consumer.committed(Set.of(partition)).get(partition);
    return offset == null ? -1 : offset.offset();
  }

  int redeliveries() {
    return redeliveries;
  }

  boolean isPaused() {
    return !paused.isEmpty();
  }

  /** As where a worker is killed: the task is not told. */
  void vanish() {
    consumer.close();
  }

  @Override
  public void close() {
    commit();
    task.close(List.of(partition));
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
      records.add(
          new SinkRecord(
              record.topic(),
              record.partition(),
              Schema.OPTIONAL_BYTES_SCHEMA,
              record.key(),
              Schema.OPTIONAL_BYTES_SCHEMA,
              record.value(),
              record.offset(),
              record.timestamp(),
              TimestampType.CREATE_TIME));
    }
    return records;
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
    throw new UnsupportedOperationException("no metrics here");
  }
}
