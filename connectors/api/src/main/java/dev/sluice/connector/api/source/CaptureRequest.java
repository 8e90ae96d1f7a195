package dev.sluice.connector.api.source;

import dev.sluice.config.settings.DataSize;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The parameters of one run of a capture. Immutable.
 *
 * @param term the epoch that the run claimed
 * @param start the retention's confirmed position, which the term's first record names
 * @param producerProperties the connection to Kafka; the capture adds what order and durability
 *     need
 * @param maxValueSize the largest change that the journal accepts
 * @param idleAfter time without an acknowledged change after which a progress message is written
 * @param applied how far the target has the journal
 * @param stop where the task stops by itself
 * @param loads whether the task has the rows that are there when it begins
 */
public record CaptureRequest(
    long term,
    Position start,
    Map<String, Object> producerProperties,
    JournalTopics topics,
    DataSize maxValueSize,
    Duration idleAfter,
    AppliedJournal applied,
    Optional<CdcStop> stop,
    boolean loads) {

  /** The default: a progress message about every five seconds. */
  public static final Duration IDLE_AFTER = Duration.ofSeconds(5);

  public CaptureRequest {
    producerProperties = Map.copyOf(producerProperties);
  }

  /** The same for a target that has nothing of the journal. */
  public CaptureRequest(
      long term,
      Position start,
      Map<String, Object> producerProperties,
      JournalTopics topics,
      DataSize maxValueSize,
      Duration idleAfter) {
    this(
        term,
        start,
        producerProperties,
        topics,
        maxValueSize,
        idleAfter,
        AppliedJournal.NOTHING,
        Optional.empty(),
        true);
  }
}
