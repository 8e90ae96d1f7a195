package dev.sluice.engine.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskLockTest {
  @TempDir Path folder;

  @Test
  void aSecondHolderIsRefusedAndToldWhoHoldsIt() {
    try (TaskLock first = TaskLock.take("orders", folder)) {
      assertThat(TaskLock.isHeld(folder)).isTrue();
      assertThatThrownBy(() -> TaskLock.take("orders", folder))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("orders")
          .hasMessageContaining(Long.toString(first.pid()));
    }
  }

  @Test
  void lookingDoesNotFreeIt() {
    try (TaskLock first = TaskLock.take("orders", folder)) {
      TaskLock.isHeld(folder);
      assertThat(TaskLock.tryTake(folder)).as("held by " + first.pid()).isEmpty();
    }
  }

  @Test
  void whoLooksWhetherADaemonRunsKeepsNoneFromStarting() {
    TaskLock looking = TaskLock.tryTake(folder).orElseThrow();
    Thread starting = Thread.currentThread();
    new Thread(
            () -> {
              while (!isWaiting(starting)) {
                Thread.onSpinWait();
              }
              looking.close();
            })
        .start();
    TaskLock.take("orders", folder, Duration.ofMinutes(5)).close();
  }

  /** Between two looks. */
  private static boolean isWaiting(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("parkNanos"));
  }

  @Test
  void itCanBeTakenAgainOnceItIsFree() {
    TaskLock.take("orders", folder).close();
    assertThat(TaskLock.isHeld(folder)).isFalse();
    TaskLock.take("orders", folder).close();
  }

  @Test
  void aDirectoryThatCannotBeMadeIsNamed() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> TaskLock.take("orders", file.resolve("data")))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(file.toString());
  }
}
