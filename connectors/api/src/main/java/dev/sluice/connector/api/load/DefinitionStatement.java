package dev.sluice.connector.api.load;

import java.util.Objects;

/**
 * One statement that makes something on the target. Immutable.
 *
 * @param thing what it makes, for messages: {@code type shop.mood}
 * @param unless a query; the statement is left out where it gives a row. Empty: never left out
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
