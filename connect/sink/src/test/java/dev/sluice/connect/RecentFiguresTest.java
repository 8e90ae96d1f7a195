package dev.sluice.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sink.progress.LastWindow;
import dev.sluice.sink.progress.WindowFigures;
import dev.sluice.sink.window.policy.CloseReason;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RecentFiguresTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final RecentFigures recent = new RecentFigures();

  @Test
  void whatIsRecentWasAppliedInTheLastOneToTwoMinutes() {
    WindowFigures applied = WindowFigures.NONE;
    WindowFigures[] at = new WindowFigures[301];
    for (int second = 0; second <= 300; second++) {
      recent.note(applied, START.plusSeconds(second));
      at[second] = applied;
      if (second >= 120) {
        assertThat(count(recent.before()))
            .as("second %d", second)
            .isBetween(count(at[second - 120]), count(at[second - 60]));
      } else {
        assertThat(recent.before()).isEqualTo(WindowFigures.NONE);
      }
      applied = applied.with(window(), Duration.ofSeconds(1));
    }
  }

  @Test
  void afterASilenceOnlyWhatCameBeforeItIsForgotten() {
    recent.note(WindowFigures.NONE, START);
    WindowFigures one = WindowFigures.NONE.with(window(), Duration.ofSeconds(1));
    recent.note(one, START.plusSeconds(3600));
    assertThat(count(recent.before())).isZero();
    WindowFigures two = one.with(window(), Duration.ofSeconds(1));
    recent.note(two, START.plusSeconds(7200));
    assertThat(count(recent.before())).isEqualTo(1);
  }

  private static long count(WindowFigures figures) {
    return figures.commitToVisible().count();
  }

  private static LastWindow window() {
    return new LastWindow(CloseReason.READY, 1, 1, 1, 1, Duration.ofSeconds(1));
  }
}
