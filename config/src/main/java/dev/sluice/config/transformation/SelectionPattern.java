package dev.sluice.config.transformation;

/**
 * What rules say of tables, as regular expressions, which Java and PostgreSQL read alike.
 * Immutable.
 *
 * @param says what of the tables that match
 * @param schema what the whole name of the schema matches
 * @param table what the whole name of the table matches
 */
public record SelectionPattern(Says says, String schema, String table) {

  /** What is said of a table. */
  public enum Says {
    INCLUDED,
    /** Included with some of its rows only. */
    FILTERED,
    /** Left out, whatever includes it. */
    EXCLUDED,
    /** Where it is included, the log must have whole old rows of it. */
    WHOLE_ROWS
  }
}
