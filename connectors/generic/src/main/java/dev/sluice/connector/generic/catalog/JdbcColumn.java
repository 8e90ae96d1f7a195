package dev.sluice.connector.generic.catalog;

import java.util.Optional;

/**
 * A column as a JDBC driver describes it. Immutable.
 *
 * @param typeName as the database names its type
 * @param target the type of PostgreSQL that holds its values; empty if none is known
 * @param nullable also if that is unknown
 */
public record JdbcColumn(
    String name, String typeName, Optional<String> target, boolean nullable, boolean generated) {

  @Override
  public String toString() {
    return "%s %s as %s%s"
        .formatted(name, typeName, target.orElse("nothing"), nullable ? "" : " NOT NULL");
  }
}
