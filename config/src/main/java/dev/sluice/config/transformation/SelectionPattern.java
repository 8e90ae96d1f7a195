package dev.sluice.config.transformation;

/**
 * A rule for tables as regular expressions, for Java and PostgreSQL. Immutable.
 *
 * @param says the meaning for matching tables
 * @param schema for the complete name of the schema
 * @param table for the complete name of the table
 */
public record SelectionPattern(Says says, String schema, String table) {

  /** The meaning of a pattern for a table. */
  public enum Says {
    INCLUDED,
    /** Included with a row filter. */
    FILTERED,
    /** Not selected, even if another pattern includes it. */
    EXCLUDED,
    /** If it is included, the log must have its complete old rows. */
    WHOLE_ROWS
  }
}
