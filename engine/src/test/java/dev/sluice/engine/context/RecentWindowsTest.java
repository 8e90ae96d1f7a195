package dev.sluice.engine.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.progress.LastWindow;
import dev.sluice.sink.progress.WindowCost;
import dev.sluice.sink.window.policy.CloseReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RecentWindowsTest {
  private final RecentWindows recent = new RecentWindows(Instant.EPOCH);

  @Test
  void theLastWindowsAreKeptAndNumberedInTheirOrder() {
    for (int i = 0; i < RecentWindows.MOST + 3; i++) {
      recent.applied(window(CloseReason.READY, i + 1));
    }
    assertThat(recent.after(0)).hasSize(RecentWindows.MOST);
    assertThat(recent.after(0).get(0).number()).isEqualTo(4);
    assertThat(recent.after(0).get(0).window().window().changes()).isEqualTo(4);
    assertThat(recent.after(RecentWindows.MOST + 1))
        .extracting(RecentWindows.Numbered::number)
        .containsExactly(RecentWindows.MOST + 2L, RecentWindows.MOST + 3L);
    assertThat(recent.after(RecentWindows.MOST + 3)).isEmpty();
  }

  @Test
  void aWindowWithoutChangesIsKeptOnlyIfABarrierClosedIt() {
    recent.applied(window(CloseReason.CAUGHT_UP, 0));
    recent.applied(window(CloseReason.BARRIER, 0));
    assertThat(recent.after(0))
        .singleElement()
        .satisfies(
            kept -> {
              assertThat(kept.number()).isEqualTo(1);
              assertThat(kept.window().window().reason()).isEqualTo(CloseReason.BARRIER);
            });
  }

  private static WindowCost window(CloseReason reason, long changes) {
    return new WindowCost(
        LaneId.MAIN,
        Instant.EPOCH,
        new LastWindow(reason, 1, changes, changes, 1, Duration.ofMillis(5)),
        Duration.ZERO,
        Duration.ZERO,
        Map.of(),
        0,
        0);
  }
}
