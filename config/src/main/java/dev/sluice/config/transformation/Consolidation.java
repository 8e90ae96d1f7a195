package dev.sluice.config.transformation;

/**
 * A column that has one value in all rows of a target table, so that the table can become the
 * partition of this source in a table of several sources. Immutable.
 *
 * @param rule the id of the transformation rule, for messages
 * @param column on the target
 * @param value in all rows
 */
public record Consolidation(String rule, String column, String value) {
  /** The type of the column, as {@code format_type} prints it. */
  public String type() {
    return "text";
  }

  /** The value as a constant of SQL. */
  public String literal() {
    return "'" + value.replace("'", "''") + "'";
  }
}
