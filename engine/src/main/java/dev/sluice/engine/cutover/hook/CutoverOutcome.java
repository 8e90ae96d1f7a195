package dev.sluice.engine.cutover.hook;

/** Where the applications belong when they are resumed. */
public enum CutoverOutcome {
  /** The target is the database to use. */
  MOVED("moved"),
  /** The cutover was given up: the source stays the database to use. */
  RELEASED("released");

  private final String text;

  CutoverOutcome(String text) {
    this.text = text;
  }

  /** As hooks and reports have it. */
  public String text() {
    return text;
  }
}
