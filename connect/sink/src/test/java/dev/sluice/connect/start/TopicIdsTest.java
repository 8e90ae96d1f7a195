package dev.sluice.connect.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class TopicIdsTest {
  private static final Instant BEGUN = Instant.parse("2026-01-01T00:00:00Z");

  private final List<CompletableFuture<Map<String, String>>> asked = new ArrayList<>();
  private final TopicIds ids =
      new TopicIds(
          Map.of("items", "one", "orders", "two"),
          names -> {
            assertThat(names).containsExactlyInAnyOrder("items", "orders");
            asked.add(new CompletableFuture<>());
            return asked.get(asked.size() - 1);
          });

  @Test
  void kafkaIsAskedEverySoOftenAndNeverWaitedFor() {
    ids.check(BEGUN);
    ids.check(BEGUN.plus(TopicIds.EVERY));
    assertThat(asked).hasSize(1);
    asked.get(0).complete(Map.of("items", "one", "orders", "two"));
    ids.check(BEGUN.plus(TopicIds.EVERY).minusMillis(1));
    ids.check(BEGUN.plus(TopicIds.EVERY).minusMillis(1));
    assertThat(asked).hasSize(1);
    ids.check(BEGUN.plus(TopicIds.EVERY));
    assertThat(asked).hasSize(2);
  }

  @Test
  void aTopicWithAnotherIdIsAnotherOne() {
    ids.check(BEGUN);
    asked.get(0).complete(Map.of("items", "one", "orders", "three"));
    assertThatThrownBy(() -> ids.check(BEGUN))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessage("topic orders was re-created: its id is three, and was two");
  }

  @Test
  void noAnswerAndATopicThatIsNotThereSayNothing() {
    ids.check(BEGUN);
    asked.get(0).completeExceptionally(new IllegalStateException("away"));
    ids.check(BEGUN);
    ids.check(BEGUN.plus(TopicIds.EVERY));
    asked.get(1).complete(Map.of("items", "one"));
    ids.check(BEGUN.plus(TopicIds.EVERY));
    assertThat(asked).hasSize(2);
  }
}
