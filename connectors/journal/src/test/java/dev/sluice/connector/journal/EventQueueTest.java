package dev.sluice.connector.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventQueueTest {
  private static final Duration AT_ONCE = Duration.ZERO;

  private final EventQueue queue = new EventQueue(100);

  @Test
  void theDecoderWaitsWhileTheQueueIsFullUntilABatchIsTakenOrTheQueueIsClosed() throws Exception {
    queue.put(batch(60));
    Thread second = putting(41);
    assertThat(queue.take(AT_ONCE)).contains(batch(60));
    second.join();
    Thread third = putting(60);
    queue.close();
    third.join();
    assertThat(queue.take(AT_ONCE)).contains(batch(41));
    assertThat(queue.take(AT_ONCE)).as("dropped, since the queue was closed").isEmpty();
  }

  @Test
  void aBatchAboveTheBoundIsAcceptedAlone() throws Exception {
    queue.put(batch(101));
    assertThat(queue.take(AT_ONCE)).contains(batch(101));
  }

  @Test
  void anOfferToAFullQueueIsGivenUpAndTheBatchIsNotInTheQueue() throws Exception {
    queue.put(batch(60));
    assertThat(queue.offer(batch(41), AT_ONCE)).isFalse();
    assertThat(queue.take(AT_ONCE)).contains(batch(60));
    assertThat(queue.offer(batch(41), AT_ONCE)).isTrue();
    assertThat(queue.take(AT_ONCE)).contains(batch(41));
    assertThat(queue.take(AT_ONCE)).isEmpty();
  }

  /** A thread that waits to put. */
  private Thread putting(long bytes) {
    Thread thread =
        new Thread(
            () -> {
              try {
                queue.put(batch(bytes));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertThat(thread.isAlive()).as("waits").isTrue();
      Thread.onSpinWait();
    }
    return thread;
  }

  private static EventBatch batch(long bytes) {
    return new EventBatch(List.of(), bytes);
  }
}
