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
  /** LOCK TABLES ends the transaction, so others cannot be kept out while rows are corrected. */
  CORRECTIONS("corrections of rows by comparisons"),
  /** Nobody has proven that its snapshots are exact. */
  COMPARISONS("comparisons with the source"),
  /**
   * LOCK TABLES ends the open transaction, so a load cannot keep others out of a table between its
   * look at the rows and its delete.
   */
  TABLE_LOCKS(
      "locks on tables; a load deletes only rows that are its own, or that the user gives up"),
  /**
   * Its url names the database that is written to, as a copied task file must not reach another.
   */
  OTHER_DATABASES("tables outside of the database that target.url names"),
  /** Expressions and types of rules are in the SQL of PostgreSQL. */
  MAPPED_TYPES("columns added, and types changed, by transformation rules"),
  /** Its way out of the task needs a comparison of objects, and its way back a log. */
  CUTOVERS("cutovers and ways back"),
  /** Values of other sources were never sent to it. */
  OTHER_SOURCES("sources other than postgresql"),
  /** The Connect plugin does not have its driver. */
  CONNECT("Kafka Connect"),
  /** Files are read by a command of the server that there is none of. */
  IMPORTS("imports of files");

  private final String text;

  TargetLimit(String text) {
    this.text = text;
  }

  /** What it is that the target cannot do, for people. */
  public String text() {
    return text;
  }
}
