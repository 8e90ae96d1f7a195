package dev.sluice.engine.context;

import dev.sluice.connector.api.source.DdlReporting;

/** Text for the status: how a task detects DDL on the source. */
public final class DdlCapture {
  public static final String BY_TRIGGER = "event triggers on the source";

  private DdlCapture() {}

  /** The text of a task to which DDL is reported. */
  public static String by(DdlReporting reporting) {
    return reporting.kind() + " on the source";
  }
}
