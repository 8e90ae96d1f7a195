package dev.sluice.engine.journal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/**
 * A consumer of one partition whose poll returns only with records, or when it is woken, however
 * short a wait it was asked for: a wake-up that is forgotten is waited for for ever.
 */
final class WaitingConsumer extends MockConsumer<byte[], byte[]> {
  private final TopicPartition partition;

  // Under this object's lock.
  private final List<ConsumerRecord<byte[], byte[]>> waiting = new ArrayList<>();
  private long offset;
  private boolean paused;
  private boolean woken;
  private boolean polled;

  WaitingConsumer(TopicPartition partition) {
    super("none");
    this.partition = partition;
  }

  /** The journal's next record. From any thread. */
  synchronized void give(byte[] record) {
    waiting.add(
        new ConsumerRecord<>(partition.topic(), partition.partition(), offset++, null, record));
    notifyAll();
  }

  /** Waits until a poll waits for records. */
  synchronized void awaitPoll() {
    while (!polled) {
      await();
    }
  }

  private void await() {
    try {
      wait();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public synchronized ConsumerRecords<byte[], byte[]> poll(Duration ignored) {
    while (!woken && (paused || waiting.isEmpty())) {
      polled = true;
      notifyAll();
      await();
    }
    if (woken) {
      woken = false;
      throw new WakeupException();
    }
    List<ConsumerRecord<byte[], byte[]>> given = List.copyOf(waiting);
    waiting.clear();
    return new ConsumerRecords<>(Map.of(partition, given), Map.of());
  }

  @Override
  public synchronized void wakeup() {
    woken = true;
    notifyAll();
  }

  @Override
  public synchronized OptionalLong currentLag(TopicPartition ignored) {
    return OptionalLong.of(waiting.size());
  }

  @Override
  public synchronized void pause(Collection<TopicPartition> ignored) {
    paused = true;
  }

  @Override
  public synchronized void resume(Collection<TopicPartition> ignored) {
    paused = false;
    notifyAll();
  }
}
