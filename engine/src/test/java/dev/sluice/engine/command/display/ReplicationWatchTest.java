package dev.sluice.engine.command.display;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.TaskStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ReplicationWatchTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00.5Z");
  private static final String PAGE =
      """
      {"task": "shop", "phase": "%s", "since": "2026-01-01T00:00:00Z", "reason": "a reason",
       "problem": %s,
       "source": {"position": "0/10"}, "target": {"position": "0/8"},
       "latency": {"source_seconds": 0.5, "target_seconds": null},
       "throughput": {"source_rows_per_second": 1000, "target_rows_per_second": 1500},
       "backlog": {"changes": 60000},
       "endpoints": [{"name": "kafka", "up": false, "problem": "no\\nanswer"}]}
      """;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @Test
  void onATerminalTheStateIsRedrawnInPlaceAndEachPhaseStays() throws IOException {
    ReplicationWatch watch = watch(true, 80, "catching-up");
    watch.show(START, page("catching-up", "null"));
    assertThat(text().lines())
        .containsExactly(
            "task     shop: catching-up since 2026-01-01T00:00:00Z",
            "source   0/10, 1,000 rows/s, 0.5 s behind",
            "target   0/8, 1,500 rows/s, - behind",
            "waiting  60,000 changes, 2:00 left at the present rate",
            "problem  kafka is away: no answer");
    watch.show(START, page("replicating", "\"SWAP_FULL\""));
    String redrawn = text();
    assertThat(redrawn).startsWith("\033[5A\r\033[Jreplicating: a reason");
    assertThat(redrawn.lines())
        .contains("task     shop: replicating since 2026-01-01T00:00:00Z", "problem  SWAP_FULL");
    watch.show(START, page("replicating", "null"));
    assertThat(text()).startsWith("\033[6A\r\033[Jtask ");
  }

  @Test
  void elsewhereItIsOneLineEveryFiveSeconds() throws IOException {
    ReplicationWatch watch = watch(false, 80, "replicating");
    watch.show(START, page("replicating", "null"));
    assertThat(text().lines())
        .containsExactly(
            "2026-01-01T00:00:00Z replicating: source 1,000 rows/s, 0.5 s behind; target 1,500"
                + " rows/s, - behind; waiting 60,000 changes, 2:00 left at the present rate;"
                + " problem: kafka is away: no answer");
    watch.show(START.plusSeconds(4), page("replicating", "null"));
    assertThat(text()).isEmpty();
    watch.show(START.plusSeconds(5), page("replicating", "null"));
    assertThat(text().lines()).hasSize(1);
  }

  @Test
  void noLineIsWiderThanTheTerminal() throws IOException {
    watch(true, 40, "").show(START, page("replicating", "\"" + "long ".repeat(50) + "\""));
    assertThat(text().lines()).allMatch(line -> line.length() <= 40).hasSize(7);
  }

  private ReplicationWatch watch(boolean terminal, int width, String phase) {
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    return new ReplicationWatch(new ProgressScreen(out, terminal, width), phase);
  }

  private static TaskStatus page(String phase, String problem) throws IOException {
    return StatusJson.read(PAGE.formatted(phase, problem), TaskStatus.class);
  }

  /** What was printed since the last call. */
  private String text() {
    String text = bytes.toString(StandardCharsets.UTF_8);
    bytes.reset();
    return text;
  }
}
