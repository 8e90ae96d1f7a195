package dev.sluice.engine.load;

/** Where a table is in its full load, in DMS's words. */
public enum LoadState {
  BEFORE_LOAD("Before load"),
  FULL_LOAD("Full load"),
  COMPLETED("Table completed"),
  CANCELLED("Table cancelled"),
  ERROR("Table error");

  private final String words;

  LoadState(String words) {
    this.words = words;
  }

  /** As DMS's table statistics write it. */
  public String words() {
    return words;
  }
}
