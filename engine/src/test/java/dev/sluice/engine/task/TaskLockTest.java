package dev.sluice.engine.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
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
