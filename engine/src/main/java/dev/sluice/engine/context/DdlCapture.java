package dev.sluice.engine.context;

/** How a task learns of the source's DDL, in words for status, check and log. */
public final class DdlCapture {
  public static final String BY_TRIGGER = "event triggers on the source";

  private DdlCapture() {}

  /** What is left where the event triggers are missing. */
  public static String without(String reason) {
    return "no event triggers on the source ("
        + reason
        + "): columns added, dropped or renamed are found when a row comes, and followed where the"
        + " catalog says what became of them and of older rows' values; tables made, renamed or"
        + " dropped, and changed types, are not replicated";
  }
}
