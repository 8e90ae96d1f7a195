package dev.sluice.connector.postgres;

import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.JournalTopics;
import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.util.Map;

/**
 * What one run of a capture is to do. Immutable.
 *
 * @param term the epoch it claimed
 * @param start the slot's confirmed position, which the term's first record names
 * @param producerProperties how to reach Kafka; what order and durability need is set beside them
 * @param maxValueSize the largest change that is taken
 * @param idleAfter how long nothing must have come through before a progress message is written
 */
public record CaptureRequest(
    long term,
    Position start,
    Map<String, Object> producerProperties,
    JournalTopics topics,
    DataSize maxValueSize,
    Duration idleAfter) {

  /** A progress message about every five seconds. */
  public static final Duration IDLE_AFTER = Duration.ofSeconds(5);

  public CaptureRequest {
    producerProperties = Map.copyOf(producerProperties);
  }
}
