package dev.sluice.engine.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskLockTest {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir Path folder;

  @Test
  void aSecondHolderIsRefusedAndTheFirstOneNamed() {
    try (TaskLock first = TaskLock.take("orders", folder)) {
      assertThat(TaskLock.isHeld(folder)).isTrue();
      assertThatThrownBy(() -> TaskLock.take("orders", folder, Duration.ZERO))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("orders")
          .hasMessageContaining(Long.toString(first.pid()));
    }
  }

  @Test
  void aCheckDoesNotReleaseIt() {
    try (TaskLock first = TaskLock.take("orders", folder)) {
      TaskLock.isHeld(folder);
      assertThat(TaskLock.tryTake(folder)).as("held by " + first.pid()).isEmpty();
    }
  }

  @Test
  void aCheckWhetherADaemonRunsDoesNotPreventAStart() {
    TaskLock looking = TaskLock.tryTake(folder).orElseThrow();
    AtomicReference<Thread> starting = new AtomicReference<>();
    CompletableFuture<TaskLock> taken =
        CompletableFuture.supplyAsync(
            () -> TaskLock.take("orders", folder, PATIENCE),
            work -> {
              starting.set(new Thread(work, "starting"));
              starting.get().start();
            });
    await().atMost(PATIENCE).until(() -> taken.isDone() || isBetweenTwoLooks(starting.get()));
    looking.close();
    taken.join().close();
  }

  private static boolean isBetweenTwoLooks(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("sleep"));
  }

  @Test
  void itCanBeTakenAgainOnceItIsFree() {
    TaskLock.take("orders", folder).close();
    assertThat(TaskLock.isHeld(folder)).isFalse();
    TaskLock.take("orders", folder).close();
  }

  @Test
  void aDirectoryThatCannotBeCreatedIsNamed() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> TaskLock.take("orders", file.resolve("data")))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(file.toString());
  }
}
