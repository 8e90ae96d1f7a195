package dev.sluice.config.task;

/** DMS's migration type: full load, changes, or both. */
public enum MigrationType {
  FULL_LOAD("full-load", true, false),
  CDC("cdc", false, true),
  FULL_LOAD_AND_CDC("full-load-and-cdc", true, true);

  private final String text;
  private final boolean loads;
  private final boolean captures;

  MigrationType(String text, boolean loads, boolean captures) {
    this.text = text;
    this.loads = loads;
    this.captures = captures;
  }

  /** Whether existing rows are copied. */
  public boolean loads() {
    return loads;
  }

  /** Whether changes are replicated. */
  public boolean captures() {
    return captures;
  }

  /** The value in a task file. */
  @Override
  public String toString() {
    return text;
  }
}
