package dev.sluice.config.settings;

import java.util.Locale;

/** The form of the daemon's log. */
public enum LogFormat {
  /** Lines for people. */
  TEXT,
  /** One JSON object on each line. */
  JSON;

  /** As a settings document has it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
