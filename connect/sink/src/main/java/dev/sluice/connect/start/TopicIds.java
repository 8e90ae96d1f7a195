package dev.sluice.connect.start;

import dev.sluice.config.document.SluiceException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Detects topics that were re-created while they are read. If the new topic already has more
 * records than were read of the old one, the consumer continues in the middle of it and never reads
 * the earlier records. Owned by the task's thread, which never waits for Kafka's response.
 */
public final class TopicIds {
  public static final Duration EVERY = Duration.ofSeconds(30);

  private final Map<String, String> expected;
  private final Function<Set<String>, CompletableFuture<Map<String, String>>> kafka;

  /** The open request; null if there is none. */
  private CompletableFuture<Map<String, String>> asked;

  private Instant due = Instant.MIN;

  /**
   * @param expected the topics' ids in the checkpoint
   * @param kafka requests the ids of the topics that exist
   */
  TopicIds(
      Map<String, String> expected,
      Function<Set<String>, CompletableFuture<Map<String, String>>> kafka) {
    this.expected = Map.copyOf(expected);
    this.kafka = kafka;
  }

  /**
   * Checks the response to the last request, or sends the next request when it is due.
   *
   * @throws SluiceException.Retryable if a topic was re-created; the next start decides what that
   *     means for the checkpoint
   */
  void check(Instant now) {
    if (asked == null) {
      if (!now.isBefore(due)) {
        asked = kafka.apply(expected.keySet());
        due = now.plus(EVERY);
      }
      return;
    }
    if (!asked.isDone()) {
      return;
    }
    CompletableFuture<Map<String, String>> answered = asked;
    asked = null;
    // Without a response there are no records either: the request is repeated when it is due.
    if (!answered.isCompletedExceptionally()) {
      answered.join().forEach(this::compare);
    }
  }

  private void compare(String topic, String id) {
    if (!id.equals(expected.get(topic))) {
      throw new SluiceException.Retryable(
          "topic %s was re-created: its id is %s, and was %s"
              .formatted(topic, id, expected.get(topic)),
          null);
    }
  }
}
