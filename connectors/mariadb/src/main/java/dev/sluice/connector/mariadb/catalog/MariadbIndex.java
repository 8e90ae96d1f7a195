package dev.sluice.connector.mariadb.catalog;

import java.util.List;
import java.util.OptionalInt;

/**
 * An index of a table. Immutable.
 *
 * @param kind {@code BTREE}, {@code HASH}, {@code FULLTEXT} or {@code SPATIAL}
 */
public record MariadbIndex(
    String name, boolean unique, String kind, List<Part> parts, String comment) {
  private static final String PRIMARY = "PRIMARY";

  /**
   * A column of an index.
   *
   * @param column its name, or an expression
   * @param expression whether it is an expression
   * @param prefix how many characters or bytes of it are indexed; empty: all
   */
  public record Part(
      String column,
      boolean expression,
      OptionalInt prefix,
      boolean descending,
      boolean nullable) {}

  public MariadbIndex {
    parts = List.copyOf(parts);
  }

  public boolean isPrimary() {
    return name.equals(PRIMARY);
  }

  public List<String> columns() {
    return parts.stream().map(Part::column).toList();
  }

  /** Whether its columns identify each row: none is NULL, and all of each counts. */
  public boolean identifiesRows() {
    return unique
        && kind.equals("BTREE")
        && parts.stream()
            .noneMatch(part -> part.nullable() || part.prefix().isPresent() || part.expression());
  }

  /** Whether it has expressions, and not only columns. */
  public boolean hasExpressions() {
    return parts.stream().anyMatch(Part::expression);
  }
}
