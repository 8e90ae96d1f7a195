package dev.sluice.config.task;

/** What a task does, in DMS's words. */
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

  /** True where existing rows are copied. */
  public boolean loads() {
    return loads;
  }

  /** True where changes are followed. */
  public boolean captures() {
    return captures;
  }

  /** As the task file writes it. */
  @Override
  public String toString() {
    return text;
  }
}
