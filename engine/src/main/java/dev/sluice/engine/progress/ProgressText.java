package dev.sluice.engine.progress;

import dev.sluice.config.Counted;
import dev.sluice.config.settings.DataSize;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Formats progress as text: a bar with figures, or the figures alone. */
public final class ProgressText {
  private static final int BAR = 20;
  private static final int LEAST_NAME = 12;

  private ProgressText() {}

  /**
   * Formats a line for a terminal.
   *
   * @param nameWidth columns of the name; a longer one is truncated at its beginning
   * @param width columns of the terminal, to which the line is truncated
   */
  static String bar(ProgressItem item, int nameWidth, int width) {
    int filled = (int) (item.fraction() * BAR);
    String line =
        String.format(
            Locale.ROOT,
            "%-" + nameWidth + "s [%s%s] %3d%%  %s",
            endOf(item.name(), nameWidth),
            "#".repeat(filled),
            "-".repeat(BAR - filled),
            percent(item),
            figures(item));
    return line.length() > width ? line.substring(0, width) : line;
  }

  /** Formats a plain line: name, percentage and figures. */
  public static String plain(ProgressItem item) {
    return String.format(Locale.ROOT, "%s: %d%%, %s", item.name(), percent(item), figures(item));
  }

  /** Like {@link #plain(ProgressItem)}, with the names and percentages of the running items. */
  public static String plain(ProgressItem all, Collection<ProgressItem> items) {
    List<String> running =
        items.stream()
            .filter(ProgressItem::isRunning)
            .map(item -> "%s %d%%".formatted(item.name(), percent(item)))
            .toList();
    return running.isEmpty() ? plain(all) : plain(all) + "; running: " + String.join(", ", running);
  }

  /** Rows, bytes, rate and time left. */
  public static String figures(ProgressItem item) {
    StringBuilder text = new StringBuilder();
    if (item.expectedRows().isPresent() && item.fraction() < 1) {
      text.append(
          String.format(
              Locale.ROOT,
              "%,d of about %,d rows",
              item.rows(),
              Math.max(item.rows(), item.expectedRows().getAsLong())));
    } else {
      text.append(Counted.of(item.rows(), "row"));
    }
    text.append(", ").append(DataSize.ofBytes(Math.max(0, item.bytes())));
    if (item.rowsPerSecond() > 0 || item.bytesPerSecond() > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              ", %,.0f rows/s, %s/s",
              item.rowsPerSecond(),
              DataSize.ofBytes((long) item.bytesPerSecond())));
    }
    item.left().ifPresent(left -> text.append(", ").append(time(left)).append(" left"));
    if (!item.isRunning() && !item.state().isEmpty()) {
      text.append(", ").append(item.state());
    }
    return text.toString();
  }

  /** Hours, minutes and seconds: {@code 1:02:03} or {@code 2:03}. */
  public static String time(Duration time) {
    return time.toHours() > 0
        ? String.format(
            Locale.ROOT, "%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart())
        : String.format(Locale.ROOT, "%d:%02d", time.toMinutes(), time.toSecondsPart());
  }

  static int nameWidth(Iterable<ProgressItem> items, int width) {
    int longest = LEAST_NAME;
    for (ProgressItem item : items) {
      longest = Math.max(longest, item.name().length());
    }
    return Math.max(LEAST_NAME, Math.min(longest, width / 3));
  }

  /** Rounds down: 100% means done. */
  private static int percent(ProgressItem item) {
    return (int) (item.fraction() * 100);
  }

  private static String endOf(String name, int width) {
    return name.length() <= width ? name : "…" + name.substring(name.length() - width + 1);
  }
}
