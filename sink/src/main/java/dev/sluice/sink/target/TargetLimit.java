package dev.sluice.sink.target;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;

/**
 * Features that a kind of target lacks, although Sluice has them with other targets. {@link
 * TargetDialect#limits} declares it; checks, plans of tables and documents read it there.
 */
public enum TargetLimit {
  /** A statement for a set of rows cannot distinguish a row without a key from its copies. */
  TABLES_WITHOUT_KEY("tables without a key"),
  /** It is not defined which types and indexes its tables would get. */
  MADE_TABLES("tables that a load makes"),
  /**
   * DDL commits the open transaction, so a window cannot contain it. Tables may be made and changed
   * before it.
   */
  DEFINITIONS("changes of definitions within a window"),
  /** TRUNCATE commits the open transaction, so rows are deleted instead. */
  TRUNCATION("TRUNCATE; rows are deleted instead"),
  /** Triggers act on applied changes as on any others. */
  TRIGGERS("triggers, which would act on applied changes"),
  /** Nobody has proven that its snapshots are exact. */
  COMPARISONS("comparisons with the source"),
  /** Nobody has proven that its locks keep others from rows that are corrected. */
  CORRECTIONS("corrections of rows by comparisons"),
  /** Each snapshot first waits until the clocks of all servers have passed it. */
  SHORT_SNAPSHOTS("comparisons in less than a second, as it waits for its clocks first"),
  /**
   * LOCK TABLES ends the open transaction, so a load cannot keep others out of a table between its
   * look at the rows and its delete.
   */
  TABLE_LOCKS(
      "locks on tables; a load deletes only rows that are its own, or that the user gives up"),
  /** Several rows are not locked in an order by one statement. */
  LOCKS_ON_LISTS("locks on a list of rows by one statement; each row is locked by its own"),
  /**
   * Its url names the database that is written to, as a copied task file must not reach another.
   */
  OTHER_DATABASES("tables outside of the database that target.url names"),
  /** Expressions and types of rules are in the SQL of PostgreSQL. */
  MAPPED_TYPES("columns added, and types changed, by transformation rules"),
  /** Nobody has proven that it has everything, nor made its sequences and constraints. */
  CUTOVERS("cutovers"),
  /** Its views, functions and triggers have another language than the source's. */
  OBJECTS("comparisons of views, functions and triggers with the source's"),
  /** A way back begins at a position of its log, which no source reads. */
  FALLBACKS("ways back"),
  /** Values of other sources were never sent to it. */
  OTHER_SOURCES("sources other than postgresql"),
  /** A connector may have types whose texts nobody has seen. */
  DEBEZIUM_SOURCES("sources of type debezium"),
  /** A journal does not say of which type its source is, and not every one was tried. */
  JOURNALS("layout journal in Kafka Connect"),
  /** A column's type does not say which type the source has, so some values could be two. */
  PLAIN_JSON("JSON without schemas in Kafka Connect"),
  /** Files are read by a command of the server that there is none of. */
  IMPORTS("imports of files");

  private final String text;

  TargetLimit(String text) {
    this.text = text;
  }

  /** The name of the missing feature, for messages. */
  public String text() {
    return text;
  }

  /**
   * Refuses it.
   *
   * @param type of the target, as a task file names it
   * @param label of the target, as people write it
   */
  public SluiceException refusal(String type, String label) {
    return new SluiceException.Fatal(
        new Problem(
            "target.type " + type,
            label + " as a target has no " + text,
            "a task that does not need it",
            "Use a target of type postgresql, or change the task"));
  }
}
