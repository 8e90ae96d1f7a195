package dev.sluice.connect.start;

import dev.sluice.config.document.SluiceException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Notices topics that were made anew while they are read. One that has outgrown what was read of
 * the topic before it shows nothing of that: the consumer goes on in its midst, and what comes
 * before is never read. Owned by the task's thread, which never waits for Kafka's answer.
 */
public final class TopicIds {
  public static final Duration EVERY = Duration.ofSeconds(30);

  private final Map<String, String> expected;
  private final Function<Set<String>, CompletableFuture<Map<String, String>>> kafka;

  /** Null where no answer is waited for. */
  private CompletableFuture<Map<String, String>> asked;

  private Instant due = Instant.MIN;

  /**
   * @param expected the ids by which the checkpoint knows the topics
   * @param kafka gives the ids of those that are there, some time
   */
  TopicIds(
      Map<String, String> expected,
      Function<Set<String>, CompletableFuture<Map<String, String>>> kafka) {
    this.expected = Map.copyOf(expected);
    this.kafka = kafka;
  }

  /**
   * Looks at the answer to the last question, or asks again where it is time.
   *
   * @throws SluiceException.Retryable where a topic is another one: a new start decides what that
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
    // Without an answer there are no records either: asked again when it is time.
    if (!answered.isCompletedExceptionally()) {
      answered.join().forEach(this::compare);
    }
  }

  private void compare(String topic, String id) {
    if (!id.equals(expected.get(topic))) {
      throw new SluiceException.Retryable(
          "topic %s was made anew: its id is %s, and was %s"
              .formatted(topic, id, expected.get(topic)),
          null);
    }
  }
}
