package dev.sluice.connect.join;

import dev.sluice.connect.envelope.DebeziumRecord;
import dev.sluice.connect.envelope.DebeziumRecord.End;
import dev.sluice.connector.api.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * The oldest transaction that is not complete yet: its end, and the events that have come. Owned by
 * the task's thread.
 */
final class GatheredTransaction implements CompletedTransaction {
  private final End end;
  private final Map<String, Long> expected;
  private final Map<String, Long> seen = new HashMap<>();
  private final Map<TopicPartition, EventRun> runs = new HashMap<>();
  private final SpillFiles files;

  /** The runs by their next event; null while events are gathered. */
  private PriorityQueue<EventRun> reading;

  /**
   * @param expected the number of events of each table that this connector reads
   */
  GatheredTransaction(End end, Map<String, Long> expected, SpillFiles files) {
    this.end = end;
    this.expected = expected;
    this.files = files;
  }

  void take(TopicPartition partition, ReadEvent event) {
    EventRun run = runs.computeIfAbsent(partition, files::newRun);
    long before = run.bytes();
    if (run.add(event)) {
      seen.merge(event.membership().collection(), 1L, Long::sum);
      if (files.isOverLimit(run.bytes() - before)) {
        runs.values().forEach(EventRun::spill);
        files.spilled();
      }
    }
  }

  /** The tables with missing events, in order of their names. */
  List<String> incomplete() {
    List<String> collections = new ArrayList<>();
    new TreeMap<>(expected)
        .forEach(
            (collection, count) -> {
              if (seen(collection) < count) {
                collections.add(collection);
              }
            });
    return collections;
  }

  /** A table with more events than the end says; null if there is none. */
  String overfull() {
    return seen.keySet().stream()
        .filter(collection -> seen(collection) > expected(collection))
        .findFirst()
        .orElse(null);
  }

  long expected(String collection) {
    return expected.getOrDefault(collection, 0L);
  }

  long seen(String collection) {
    return seen.getOrDefault(collection, 0L);
  }

  @Override
  public String xid() {
    return end.xid();
  }

  @Override
  public Position position() {
    return end.position();
  }

  @Override
  public long commitMicros() {
    return end.commitMicros();
  }

  @Override
  public Map<String, Long> counts() {
    return expected;
  }

  @Override
  public DebeziumRecord next() {
    if (reading == null) {
      reading = new PriorityQueue<>(Comparator.comparingLong(EventRun::nextOrder));
      reading.addAll(runs.values());
    }
    // Not in the queue while its next number changes: that orders the queue.
    EventRun first = reading.poll();
    if (first == null || first.nextOrder() == Long.MAX_VALUE) {
      return null;
    }
    DebeziumRecord event = first.next();
    reading.add(first);
    return event;
  }

  @Override
  public void close() {
    runs.values().forEach(EventRun::close);
    files.spilled();
  }
}
