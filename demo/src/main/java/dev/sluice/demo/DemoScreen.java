package dev.sluice.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Shows the demo's progress: on a terminal one line that is redrawn, elsewhere a plain line every
 * few seconds. Owned by the demo's thread.
 */
final class DemoScreen {
  private static final Duration PLAIN_INTERVAL = Duration.ofSeconds(5);

  private final PrintStream out;
  private final boolean terminal;
  private final Instant start;
  private Instant lastPlain = Instant.EPOCH;
  private boolean lineOpen;

  DemoScreen(PrintStream out, boolean terminal, Instant start) {
    this.out = out;
    this.terminal = terminal;
    this.start = start;
  }

  /** Prints a step of the demo on its own line, with the time since the start. */
  void step(Instant now, String text) {
    closeLine();
    out.println(stamp(now) + text);
  }

  void progress(Instant now, String text) {
    if (terminal) {
      out.print("\r\033[K" + stamp(now) + text);
      out.flush();
      lineOpen = true;
    } else if (Duration.between(lastPlain, now).compareTo(PLAIN_INTERVAL) >= 0) {
      out.println(stamp(now) + text);
      lastPlain = now;
    }
  }

  /** Prints text without a time. */
  void print(String text) {
    closeLine();
    out.println(text);
  }

  private String stamp(Instant now) {
    return String.format(
        Locale.ROOT, "[%5.1f s] ", Duration.between(start, now).toMillis() / 1000.0);
  }

  private void closeLine() {
    if (lineOpen) {
      out.println();
      lineOpen = false;
    }
  }
}
