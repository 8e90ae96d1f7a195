package dev.sluice.engine.page;

import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.progress.LastWindow;
import dev.sluice.sink.progress.WindowCost;
import dev.sluice.sink.progress.WindowListener;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.policy.CloseReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Windows as a test writes them: each change takes 100 microseconds and 200 bytes. */
record WindowScript(WindowListener listener) {

  void applied(CloseReason reason, long changes, long netChanges) {
    applied(LaneId.MAIN, reason, changes, netChanges);
  }

  void applied(LaneId lane, CloseReason reason, long changes, long netChanges) {
    Duration took = Duration.ofNanos(changes * 100_000);
    listener.applied(
        new WindowCost(
            lane,
            Instant.now(),
            new LastWindow(reason, 1 + changes / 10, changes, netChanges, 3, took),
            Duration.ofSeconds(1),
            took.plusMillis(1200),
            Map.of(
                ApplyStage.INSERT, took.multipliedBy(3).dividedBy(4),
                ApplyStage.COMMIT, took.dividedBy(4)),
            changes * 200,
            reason == CloseReason.MAX_TIME ? 2 : 0));
  }
}
