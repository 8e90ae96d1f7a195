package dev.sluice.engine.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SourceLagTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final SourceLag lag = new SourceLag();

  @Test
  void aFollowerAtTheEndIsNotBehindHoweverOldTheLastCommit() {
    sample(0, 100);
    sample(60, 100);
    assertThat(behind(60, 100, Optional.of(START.minusSeconds(3_600)))).isZero();
  }

  @Test
  void itIsBehindSinceTheLogWentBeyondItsPosition() {
    sample(0, 100);
    sample(10, 200);
    sample(20, 300);
    assertThat(behind(25, 150, Optional.empty())).isEqualTo(Duration.ofSeconds(15));
    assertThat(behind(25, 250, Optional.empty())).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aLagFromBeforeTheFirstSampleCountsFromTheLastCommit() {
    sample(0, 1_000);
    assertThat(behind(5, 100, Optional.of(START.minusSeconds(30))))
        .isEqualTo(Duration.ofSeconds(35));
    assertThat(behind(5, 100, Optional.empty())).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void beforeTheFirstSampleNothingIsBehind() {
    assertThat(behind(5, 100, Optional.empty())).isZero();
  }

  private void sample(int second, long end) {
    lag.sample(START.plusSeconds(second), new Position(end));
  }

  private Duration behind(int second, long reached, Optional<Instant> lastCommit) {
    return lag.behind(START.plusSeconds(second), new Position(reached), lastCommit);
  }
}
