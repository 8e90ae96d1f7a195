package dev.sluice.engine.command.display;

import java.util.Locale;

/** The lines of a status page on a terminal, each with its name in front. */
final class StatusLines {
  private final StringBuilder text = new StringBuilder();

  /** Adds a line; one without a name continues the line above. */
  void add(String name, String format, Object... values) {
    text.append(String.format(Locale.ROOT, "%-9s", name))
        .append(String.format(Locale.ROOT, format, values))
        .append(System.lineSeparator());
  }

  /** Adds a row of a table. */
  void addRow(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
