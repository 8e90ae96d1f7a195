package dev.sluice.connector.api.load;

import java.util.Objects;

/**
 * A statement that creates an object on the target. Immutable.
 *
 * @param thing the object, for messages: {@code type shop.mood}
 * @param unless a query; if it returns a row, the statement is skipped; empty: never skipped
 * @param sql the statement
 */
public record DefinitionStatement(String thing, String unless, String sql) {
  public DefinitionStatement {
    Objects.requireNonNull(thing, "thing");
    Objects.requireNonNull(unless, "unless");
    Objects.requireNonNull(sql, "sql");
  }

  public static DefinitionStatement always(String thing, String sql) {
    return new DefinitionStatement(thing, "", sql);
  }
}
