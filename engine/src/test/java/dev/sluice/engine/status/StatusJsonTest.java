package dev.sluice.engine.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class StatusJsonTest {

  @Test
  void theStatusOfANewerDaemonIsReadWithoutWhatItAdds() throws Exception {
    TaskStatus status =
        StatusJson.read(
            """
            {"phase": "replicating", "since": "2026-01-01T00:00:00Z", "mood": {"good": true},
             "latency": {"source_seconds": 1.5, "moon_seconds": 1.3}}
            """,
            TaskStatus.class);
    assertThat(status.phase()).isEqualTo("replicating");
    assertThat(status.since()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
    assertThat(status.latency().sourceSeconds()).isEqualTo(1.5);
  }

  @Test
  void theStatusOfAnOlderDaemonIsReadWithEmptyParts() throws Exception {
    TaskStatus status = StatusJson.read("{}", TaskStatus.class);
    assertThat(status.phase()).isEmpty();
    assertThat(status.tables()).isEmpty();
    assertThat(status.windows().last()).isNull();
    assertThat(status.settings().inEffect()).isEmpty();
    assertThat(status.notReady()).containsExactly("phase ");
  }

  @Test
  void anEndingThatThisReleaseDoesNotKnowIsAFailure() throws Exception {
    TaskControl.Outcome outcome =
        StatusJson.read(
            "{\"success\": false, \"ending\": \"POSTPONED\"}", TaskControl.Outcome.class);
    assertThat(outcome.ending()).isEqualTo(TaskControl.Ending.FAILED);
  }
}
