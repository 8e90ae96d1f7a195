package dev.sluice.connect.start;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.input.TopicInput;
import dev.sluice.sink.PollDirective;
import dev.sluice.sink.SinkPipeline;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.progress.SinkProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pipeline with a claimed epoch that reads the partitions of a task. Used once: after a failure a
 * new one is created with the next epoch. Owned by the task's thread.
 */
public final class ConnectedSink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectedSink.class);

  /** How often to check whether entries have become durable. */
  private static final Duration ROOM_CHECK = Duration.ofMillis(500);

  private final Set<TopicPartition> pausable;
  private final long startOffset;
  private final TopicInput input;
  private final SinkPipeline pipeline;
  private final DeletedRecords deleted;
  private final TopicIds ids;
  private final ReadTopics topics;
  private boolean full;

  /** Why no records are taken that would have to be retained; empty if there is room. */
  private Optional<String> retainedFull = Optional.empty();

  /**
   * How Connect is to continue.
   *
   * @param paused the partitions to pause
   */
  public record Flow(Set<TopicPartition> paused, Duration callAgainWithin) {}

  /**
   * @param pausable the partitions that are paused while the pipeline has no room
   * @param startOffset where the pipeline starts
   * @param topicIds the ids of its topics
   * @param topics owned and closed by this sink from now on
   */
  ConnectedSink(
      Set<TopicPartition> pausable,
      long startOffset,
      TopicInput input,
      SinkPipeline pipeline,
      Map<String, String> topicIds,
      ReadTopics topics) {
    this.pausable = pausable;
    this.startOffset = startOffset;
    this.input = input;
    this.pipeline = pipeline;
    this.deleted = new DeletedRecords(startOffsets(), topics::starts);
    this.ids = new TopicIds(topicIds, topics::ids);
    this.topics = topics;
  }

  /** The offsets from which records must come, whatever the consumer group has committed. */
  public Map<TopicPartition, Long> startOffsets() {
    return input.offsetsAt(startOffset);
  }

  /**
   * Takes the next records. Also called without records.
   *
   * @throws SluiceException if the pipeline failed; the caller then closes this sink
   */
  public Flow accept(Collection<SinkRecord> records, Instant now) {
    boolean wasFull = full;
    ids.check(now);
    deleted.check(records);
    input.take(records, now);
    PollDirective demand;
    boolean hasMore;
    do {
      boolean hasRoom = hasRoomToRetain();
      List<JournalEntry> entries = full || !hasRoom ? List.of() : input.next(!wasFull, now);
      hasMore = hasRoom && (full || !entries.isEmpty());
      boolean isAll = !hasRoom || records.isEmpty() && !hasMore && !wasFull;
      demand = pipeline.accept(entries, isAll, now);
      full = demand.pause();
    } while (hasMore && !full);
    input.durable(pipeline.progress().apply().durable().nextOffset());
    return new Flow(
        paused(),
        hasRoomToRetain() || demand.callAgainWithin().compareTo(ROOM_CHECK) < 0
            ? demand.callAgainWithin()
            : ROOM_CHECK);
  }

  /** True if more entries can be retained. If not, windows are closed at once to free some. */
  private boolean hasRoomToRetain() {
    Optional<String> now = input.full();
    if (now.isPresent() && retainedFull.isEmpty()) {
      LOG.warn(
          "{}; intake pauses until they are durable; a single larger transaction needs a higher"
              + " limit",
          now.get());
    } else if (now.isEmpty() && retainedFull.isPresent()) {
      LOG.info("there is room again for entries that are not durable; intake continues");
    }
    retainedFull = now;
    return now.isEmpty();
  }

  /** The offsets up to which records are durable on the target. */
  public Map<TopicPartition, Long> durableOffsets() {
    return input.offsetsAt(pipeline.progress().apply().durable().nextOffset());
  }

  public SinkProgress progress() {
    return pipeline.progress();
  }

  /**
   * Finishes the window that is being applied and stops; other records are read again. Idempotent.
   */
  @Override
  public void close() {
    pipeline.close();
    input.close();
    topics.close();
  }

  private Set<TopicPartition> paused() {
    Set<TopicPartition> paused = new HashSet<>(input.unwanted());
    if (full || retainedFull.isPresent()) {
      paused.addAll(pausable);
    }
    return paused;
  }
}
