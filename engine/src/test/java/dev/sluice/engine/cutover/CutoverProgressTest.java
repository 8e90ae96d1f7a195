package dev.sluice.engine.cutover;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class CutoverProgressTest {
  private final CutoverProgress progress =
      new CutoverProgress(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));

  @Test
  void whatIsReachedWithinAStepIsShownAtOnce() {
    progress.step("stopping the writers");
    progress.reached("the writers are stopped");
    assertThat(progress.status().step()).isEqualTo("stopping the writers");
    assertThat(progress.status().timeline())
        .containsExactly(
            "1970-01-01T00:00:00Z stopping the writers",
            "1970-01-01T00:00:00Z the writers are stopped");
  }

  @Test
  void whatEndedKeepsItsReportAndTimeline() {
    progress.reached("the writers are stopped");
    progress.done("rehearsed", 0.2, List.of("writers stopped: 200 ms in all"));
    assertThat(progress.status().result()).isEqualTo("done");
    assertThat(progress.status().secondsToVerdict()).isEqualTo(0.2);
    assertThat(progress.status().report()).containsExactly("writers stopped: 200 ms in all");
    assertThat(progress.status().timeline()).hasSize(1);
  }
}
