package dev.sluice.engine.monitor;

/** How urgent it is to look after a disk. */
public enum GuardLevel {
  FINE("fine"),
  /** Less than GuardWarningHours are left. */
  WARNING("warning"),
  /** Less than GuardProblemHours are left, or no room at all. */
  PROBLEM("problem");

  private final String text;

  GuardLevel(String text) {
    this.text = text;
  }

  /** As the status spells it. */
  public String text() {
    return text;
  }
}
