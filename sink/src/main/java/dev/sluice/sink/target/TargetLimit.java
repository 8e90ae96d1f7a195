package dev.sluice.sink.target;

/**
 * What a kind of target cannot do, although Sluice can do it with another one. {@link
 * TargetDialect#limits} declares it; checks, plans of tables and documents read it there.
 */
public enum TargetLimit {
  /** A row without a key cannot be told from its copies by one statement for a set of rows. */
  TABLES_WITHOUT_KEY("tables without a key"),
  /** DDL commits the open transaction, so a window cannot contain it. */
  DEFINITIONS("changes of definitions"),
  /** TRUNCATE commits the open transaction, so rows are deleted instead. */
  TRUNCATION("TRUNCATE; rows are deleted instead"),
  /** Triggers act on applied changes, whoever makes them. */
  TRIGGERS("triggers, which would act on applied changes"),
  /** Tables are not read under a snapshot with the checkpoint. */
  COMPARISON("comparisons with the source, and corrections by them"),
  /** There is no load into it yet. */
  LOAD("loads and imports");

  private final String text;

  TargetLimit(String text) {
    this.text = text;
  }

  /** What it is that the target cannot do, for people. */
  public String text() {
    return text;
  }
}
