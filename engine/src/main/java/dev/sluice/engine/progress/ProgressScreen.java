package dev.sluice.engine.progress;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows the progress of many copies, or a state. On a terminal it redraws a bar for each running
 * copy and one for all; elsewhere it prints a plain line every 5 seconds. Owned by one thread.
 */
public final class ProgressScreen {
  private static final Duration PLAIN_INTERVAL = Duration.ofSeconds(5);
  private static final Duration DRAWN_INTERVAL = Duration.ofSeconds(2);
  private static final int MOST_BARS = 16;
  private static final int WIDTH = 120;

  private final PrintStream out;
  private final boolean terminal;
  private final int width;
  private int linesOpen;
  private Instant plainDue = Instant.EPOCH;

  public ProgressScreen(PrintStream out, boolean terminal, int width) {
    this.out = out;
    this.terminal = terminal;
    this.width = width;
  }

  /** For the standard output; the terminal's width is the variable COLUMNS. */
  public static ProgressScreen onStandardOutput() {
    return new ProgressScreen(System.out, System.console() != null, columns());
  }

  /**
   * Shows the present progress.
   *
   * @param all everything together
   * @param items each of them; running ones are shown first
   */
  public void show(Instant now, ProgressItem all, List<ProgressItem> items) {
    if (terminal) {
      draw(all, items);
    } else if (!now.isBefore(plainDue)) {
      plainDue = now.plus(PLAIN_INTERVAL);
      out.println(ProgressText.plain(all, items));
      out.flush();
    }
  }

  /**
   * Shows a present state.
   *
   * @param lines on a terminal, in place of what was drawn last
   * @param plain elsewhere, every 5 seconds
   */
  public void show(Instant now, List<String> lines, String plain) {
    if (terminal) {
      clear();
      for (String line : lines) {
        out.println(line.length() > width ? line.substring(0, width) : line);
      }
      linesOpen = lines.size();
      out.flush();
    } else if (!now.isBefore(plainDue)) {
      plainDue = now.plus(PLAIN_INTERVAL);
      out.println(plain);
      out.flush();
    }
  }

  /** How long to wait between two states: a terminal is redrawn more often. */
  public Duration interval() {
    return terminal ? DRAWN_INTERVAL : PLAIN_INTERVAL;
  }

  /** Prints a line that stays, above the bars. */
  public void print(String line) {
    clear();
    out.println(line);
    out.flush();
  }

  /** Shows the final progress, which stays: on a terminal as bars, elsewhere as a line. */
  public void end(ProgressItem all, List<ProgressItem> items) {
    if (terminal) {
      draw(all, items);
      linesOpen = 0;
    } else {
      out.println(ProgressText.plain(all));
      out.flush();
    }
  }

  private void draw(ProgressItem all, List<ProgressItem> items) {
    List<ProgressItem> shown = new ArrayList<>();
    items.stream().filter(ProgressItem::isRunning).limit(MOST_BARS).forEach(shown::add);
    items.stream()
        .filter(item -> !item.isRunning())
        .limit(MOST_BARS - shown.size())
        .forEach(shown::add);
    int hidden = items.size() - shown.size();
    shown.add(all);
    int nameWidth = ProgressText.nameWidth(shown, width);
    clear();
    for (ProgressItem item : shown) {
      out.println(ProgressText.bar(item, nameWidth, width));
    }
    linesOpen = shown.size();
    if (hidden > 0) {
      out.println("and " + hidden + " more");
      linesOpen++;
    }
    out.flush();
  }

  private void clear() {
    if (linesOpen > 0) {
      // Moves to the first of the lines and erases everything from there on.
      out.print("\033[" + linesOpen + "A\r\033[J");
      linesOpen = 0;
    }
  }

  private static int columns() {
    try {
      return Math.max(40, Integer.parseInt(System.getenv().getOrDefault("COLUMNS", "" + WIDTH)));
    } catch (NumberFormatException e) {
      return WIDTH;
    }
  }
}
