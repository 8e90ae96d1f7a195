package dev.sluice.engine.context;

/** Text for the status: how a task detects DDL on the source. */
public final class DdlCapture {
  public static final String BY_TRIGGER = "event triggers on the source";

  private DdlCapture() {}
}
