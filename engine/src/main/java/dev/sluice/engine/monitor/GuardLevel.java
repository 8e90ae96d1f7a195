package dev.sluice.engine.monitor;

/** How soon a disk may be full. */
public enum GuardLevel {
  FINE("fine"),
  /** Less than GuardWarningHours are left. */
  WARNING("warning"),
  /** Less than GuardProblemHours are left, or no space at all. */
  PROBLEM("problem");

  private final String text;

  GuardLevel(String text) {
    this.text = text;
  }

  /** The name in the status. */
  public String text() {
    return text;
  }
}
