package dev.sluice.engine.daemon;

import static dev.sluice.engine.daemon.WayBackTask.PATIENCE;
import static dev.sluice.engine.daemon.WayBackTask.armed;
import static dev.sluice.engine.daemon.WayBackTask.cutOver;
import static dev.sluice.engine.daemon.WayBackTask.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.TwoServers;
import dev.sluice.engine.fallback.LostSide;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.FallbackStatus;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the task that was cut over says once the applications are at the source again. */
@ExtendWith(SharedBroker.class)
class ReturnToSourceTest {
  @RegisterExtension static final TwoServers SERVERS = new TwoServers();

  @TempDir Path folder;

  @Test
  void afterAFallbackNothingSaysThatTheTargetIsTheOneToUse() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "returned");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config());
        RunningDaemon back = armed(task, forward)) {
      cutOver(forward, back);
      assertThat(forward.daemon().cutover(order()).success()).isTrue();
      assertThat(forward.daemon().fence(Duration.ofSeconds(10)).success()).isTrue();
      assertThat(forward.daemon().cutoverReport(order()).go()).isTrue();

      Outcome returned = back.daemon().cutover(order());
      assertThat(returned.success()).as(returned.toString()).isTrue();
      assertReturned(forward, "were brought back to the source");
    }
  }

  @Test
  void aSourceThatWasOpenedWithoutProofIsNotCalledBroughtBack() throws Exception {
    DdlTask task = WayBackTask.shop(folder, SERVERS, "unproven");
    try (RunningDaemon forward = RunningDaemon.replicating(task.config())) {
      try (RunningDaemon back = armed(task, forward)) {
        cutOver(forward, back);
      }
      // As if the new side did not answer this one, and the daemon beside it goes on.
      try (LostSide side = LostSide.read(task.fallback(), true)) {
        side.open();
      }
      task.onSource("INSERT INTO sold (what) VALUES ('here')");

      assertReturned(forward, "--target-lost");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  Optional.ofNullable(forward.daemon().status().fallback())
                      .map(FallbackStatus::state)
                      .filter("target-lost"::equals)
                      .isPresent());
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(forward.daemon().status().problem())
                      .contains("--target-lost", "is not closed"));

      // As the removal of the way back leaves it: nobody says that the target refuses writers.
      task.onSource("DELETE FROM sluice_control.task_step WHERE step = 'fallback'");
      assertReturned(forward, "nothing says whether the target was closed");
    }
  }

  private static void assertReturned(RunningDaemon forward, String words) throws Exception {
    Outcome again = forward.daemon().cutover(order());
    assertThat(again.ending()).as(again.toString()).isEqualTo(Ending.NOT_COVERED);
    assertThat(again.message()).contains(words);
    Outcome waited = forward.daemon().fence(Duration.ofSeconds(10));
    assertThat(waited.ending()).as(waited.toString()).isEqualTo(Ending.NOT_COVERED);
    assertThat(waited.message()).contains(words);
    CutoverReport report = forward.daemon().cutoverReport(order());
    assertThat(report.go()).isFalse();
    assertThat(report.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.kind()).isEqualTo("brought-back");
              assertThat(finding.found()).contains(words);
            });
  }
}
