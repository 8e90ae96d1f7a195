package dev.sluice.engine.context;

/** Texts for status, check and log: how a task detects DDL on the source. */
public final class DdlCapture {
  public static final String BY_TRIGGER = "event triggers on the source";

  private DdlCapture() {}

  /** How DDL is detected without event triggers, and what is not replicated then. */
  public static String without(String reason) {
    return "no event triggers on the source ("
        + reason
        + "): added, dropped and renamed columns are detected with the next changed row, and"
        + " replicated if the catalog shows what happened to them and to the values of older"
        + " rows; created, renamed and dropped tables and changed types are not replicated";
  }
}
