package dev.sluice.engine.task;

/** How a task learns of the source's DDL, in words for status, check and log. */
final class DdlCapture {
  static final String BY_TRIGGER = "event triggers on the source";

  private DdlCapture() {}

  /** What is left where the event triggers are missing. */
  static String without(String reason) {
    return "no event triggers on the source ("
        + reason
        + "): new columns are found when a row with them comes; columns dropped or renamed where"
        + " there is one way to read it; tables made, renamed or dropped, and changed types, are"
        + " not replicated";
  }
}
