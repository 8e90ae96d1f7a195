package dev.sluice.engine.command.display;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.TaskStatus;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LoadWatchTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final LoadWatch watch =
      new LoadWatch(
          new ProgressScreen(new PrintStream(out, true, StandardCharsets.UTF_8), false, 80));

  @Test
  void itWaitsForALoadThatIsToComeAndEndsWithIt() throws Exception {
    assertThat(show("{\"phase\": \"preparing\", \"reason\": \"checked\"}")).isTrue();
    assertThat(show("{\"phase\": \"full-load\", \"reason\": \"\", \"full_load\": null}")).isTrue();
    assertThat(show(page("running", 41.5, "7, \"seconds_left\": 62.0"))).isTrue();
    assertThat(show(page("done", 100, "12, \"seconds_left\": null"))).isFalse();
    assertThat(watch.isDone()).isTrue();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("preparing: checked")
        .contains("0 of 1 table: 41%, 7 of about 12 rows, 5 B, 1:02 left; running: s.t 41%")
        .contains("0 of 1 table: 100%, 12 rows, 5 B, done");
  }

  @Test
  void thereIsNothingToWaitForWhereTheDaemonMadeNoLoad() throws Exception {
    assertThat(show("{\"phase\": \"replicating\", \"full_load\": null}")).isFalse();
  }

  private boolean show(String page) throws Exception {
    return watch.show(Instant.EPOCH.plusSeconds(1), StatusJson.read(page, TaskStatus.class));
  }

  private static String page(String state, double percent, String rows) {
    String load =
        """
        {"name": "%s", "state": "%s", "percent": %s, "rows": %s, "expected_rows": 12, "bytes": 5}
        """;
    return """
    {"phase": "full-load", "reason": "", "full_load": %s, "tables": [{"full_load": %s}]}
    """
        .formatted(
            load.formatted("0 of 1 table", state, percent, rows),
            load.formatted("s.t", state, percent, rows));
  }
}
