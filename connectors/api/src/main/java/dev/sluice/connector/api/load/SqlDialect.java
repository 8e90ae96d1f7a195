package dev.sluice.connector.api.load;

import java.util.Objects;

/**
 * The language of a definition. A target runs only definitions of its own; what else a source has
 * of indexes, constraints, triggers and views is left out, and reported. Immutable.
 *
 * @param name the type of database, as the task file names it
 */
public record SqlDialect(String name) {
  public static final SqlDialect POSTGRESQL = new SqlDialect("postgresql");

  public SqlDialect {
    Objects.requireNonNull(name, "name");
  }

  @Override
  public String toString() {
    return name;
  }
}
