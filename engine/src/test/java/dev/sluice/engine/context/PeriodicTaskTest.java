package dev.sluice.engine.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class PeriodicTaskTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final List<String> failures = new CopyOnWriteArrayList<>();

  @Test
  void aFailedRunIsReportedAndTheNextOneRuns() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    CountDownLatch second = new CountDownLatch(2);
    try (PeriodicTask lookout =
        lookout(
            Duration.ofMillis(1),
            () -> {
              second.countDown();
              if (looks.incrementAndGet() == 1) {
                throw new IllegalStateException("the first one");
              }
            })) {
      lookout.start();
      assertThat(second.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
    assertThat(failures).containsExactly("the first one");
  }

  @Test
  void theIntervalIsTheSameAfterAFailure() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    CountDownLatch told = new CountDownLatch(1);
    try (PeriodicTask lookout =
        new PeriodicTask(
            "failing",
            Duration.ofHours(1),
            () -> {
              looks.incrementAndGet();
              throw new IllegalStateException("always");
            },
            e -> {
              failures.add(e.getMessage());
              told.countDown();
            })) {
      lookout.start();
      assertThat(told.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      await().atMost(PATIENCE).until(() -> stateOf("failing") == Thread.State.TIMED_WAITING);
      assertThat(looks).hasValue(1);
    }
    assertThat(failures).hasSize(1);
  }

  @Test
  void closingInterruptsTheRunInFlightWithoutAReport() throws InterruptedException {
    CountDownLatch looking = new CountDownLatch(1);
    PeriodicTask lookout =
        lookout(
            Duration.ofHours(1),
            () -> {
              looking.countDown();
              while (!Thread.currentThread().isInterrupted()) {
                LockSupport.park();
              }
              throw new IllegalStateException("broken off");
            });
    lookout.start();
    assertThat(looking.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    lookout.close();
    lookout.close();
    assertThat(failures).isEmpty();
  }

  private static Thread.State stateOf(String thread) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().equals(thread))
        .findFirst()
        .map(Thread::getState)
        .orElseThrow();
  }

  private PeriodicTask lookout(Duration interval, Runnable look) {
    return new PeriodicTask("looking", interval, look, e -> failures.add(e.getMessage()));
  }
}
