package dev.sluice.engine.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProgressScreenTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final ProgressItem DONE = item("shop.done", "done", 1, 10);
  private static final ProgressItem WAITING = item("shop.waiting", "waiting", 0, 0);
  private static final ProgressItem HALF =
      new ProgressItem(
          "shop.orders",
          ProgressItem.RUNNING,
          0.5,
          1_000,
          OptionalLong.of(2_000),
          3 * 1024 * 1024,
          250,
          1024,
          Optional.of(Duration.ofSeconds(3_723)));
  private static final ProgressItem ALL = item("all", ProgressItem.RUNNING, 0.25, 1_010);

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @Test
  void onATerminalRunningItemsComeFirstAndAreRedrawnInPlace() {
    ProgressScreen screen = screen(true, 200);
    screen.show(START, ALL, List.of(DONE, HALF, WAITING));
    assertThat(text().lines())
        .containsExactly(
            "shop.orders  [##########----------]  50%  1,000 of about 2,000 rows, 3.0 MiB, 250"
                + " rows/s, 1.0 KiB/s, 1:02:03 left",
            "shop.done    [####################] 100%  10 rows, 0 B, done",
            "shop.waiting [--------------------]   0%  0 rows, 0 B, waiting",
            "all          [#####---------------]  25%  1,010 rows, 0 B");
    screen.show(START, ALL, List.of(DONE, HALF, WAITING));
    assertThat(text()).startsWith("\033[4A\r\033[J").endsWith("B" + System.lineSeparator());
  }

  @Test
  void noLineIsWiderThanTheTerminal() {
    screen(true, 60)
        .show(START, ALL, List.of(HALF, item("s." + "n".repeat(80), ProgressItem.RUNNING, 0.1, 1)));
    assertThat(text().lines()).allMatch(line -> line.length() <= 60).hasSize(3);
  }

  @Test
  void ofManyTheRestIsCounted() {
    screen(true, 80).show(START, ALL, Collections.nCopies(40, HALF));
    assertThat(text().lines()).hasSize(18).last().isEqualTo("and 24 more");
  }

  @Test
  void withoutATerminalThereIsAPlainLineEveryFiveSeconds() {
    ProgressScreen screen = screen(false, 80);
    for (int second = 0; second < 10; second++) {
      screen.show(START.plusSeconds(second), ALL, List.of(DONE, HALF, WAITING));
    }
    assertThat(text().lines())
        .hasSize(2)
        .allMatch(line -> line.equals("all: 25%, 1,010 rows, 0 B; running: shop.orders 50%"));
  }

  private ProgressScreen screen(boolean terminal, int width) {
    return new ProgressScreen(
        new PrintStream(bytes, true, StandardCharsets.UTF_8), terminal, width);
  }

  /** What was written since the last call. */
  private String text() {
    String text = bytes.toString(StandardCharsets.UTF_8);
    bytes.reset();
    return text;
  }

  private static ProgressItem item(String name, String state, double fraction, long rows) {
    return new ProgressItem(
        name, state, fraction, rows, OptionalLong.empty(), 0, 0, 0, Optional.empty());
  }
}
