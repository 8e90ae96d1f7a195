package dev.sluice.engine.load;

/** States of a table in its full load, with the texts of DMS's table statistics. */
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

  /** The text in DMS's table statistics. */
  public String words() {
    return words;
  }
}
