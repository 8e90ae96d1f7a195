package dev.sluice.engine.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.DataSize;
import dev.sluice.engine.journal.JournalUpkeep.Extent;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class JournalGuardTest {
  private long bytes;
  private OptionalLong free = OptionalLong.empty();

  @Test
  void itPausesAboveTheLimitAndContinuesWellBelow() {
    JournalGuard guard = guard(DataSize.ofBytes(1_000));
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
    assertThat(guard(DataSize.ofBytes(0)).isFull()).isFalse();
  }

  @Test
  void itNamesBothFigures() {
    bytes = 3 * 1024 * 1024;
    assertThat(guard(DataSize.ofMebibytes(2)).toString())
        .contains("JOURNAL_FULL", "3.0 MiB", "2.0 MiB");
  }

  @Test
  void itPausesIfTheBrokersDiskHasLessThanTheReserveAndContinuesWellAbove() {
    JournalGuard guard = guard(DataSize.ofBytes(0));
    free = OptionalLong.of(100);
    assertThat(guard.isFull()).isFalse();
    free = OptionalLong.of(99);
    assertThat(guard.isFull()).isTrue();
    assertThat(guard.toString()).contains("is 99 B", "JournalReserve is 100 B");
    free = OptionalLong.of(124);
    assertThat(guard.hasRoom()).isFalse();
    free = OptionalLong.of(125);
    assertThat(guard.hasRoom()).isTrue();
  }

  private JournalGuard guard(DataSize limit) {
    return new JournalGuard(
        limit,
        DataSize.ofBytes(100),
        () -> Optional.of(new Extent(0, 0, OptionalLong.of(bytes), free)));
  }
}
