package dev.sluice.engine.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.DataSize;
import org.junit.jupiter.api.Test;

class JournalGuardTest {
  private long bytes;

  @Test
  void itPausesAboveTheLimitAndGoesOnWellBelow() {
    JournalGuard guard = new JournalGuard(DataSize.ofBytes(1_000), () -> bytes);
    bytes = 1_000;
    assertThat(guard.isFull()).isFalse();
    bytes = 1_001;
    assertThat(guard.isFull()).isTrue();
    bytes = 900;
    assertThat(guard.hasRoom()).isFalse();
    bytes = 799;
    assertThat(guard.hasRoom()).isTrue();
  }

  @Test
  void withoutALimitItIsNeverFull() {
    bytes = Long.MAX_VALUE;
    assertThat(new JournalGuard(DataSize.ofBytes(0), () -> bytes).isFull()).isFalse();
  }

  @Test
  void itNamesBothFigures() {
    bytes = 3 * 1024 * 1024;
    assertThat(new JournalGuard(DataSize.ofMebibytes(2), () -> bytes).toString())
        .contains("JOURNAL_FULL", "3.0 MiB", "2.0 MiB");
  }
}
