package dev.sluice.connector.api.load;

import java.util.Objects;

/**
 * A statement that creates an object on the target. Immutable.
 *
 * @param dialect the language of the statement and of {@code unless}
 * @param thing the object, for messages: {@code type shop.mood}
 * @param unless a query; if it returns a row, the statement is skipped; empty: never skipped
 * @param sql the statement; a query returns a text if there are rows that the object does not take
 */
public record DefinitionStatement(SqlDialect dialect, String thing, String unless, String sql) {
  public DefinitionStatement {
    Objects.requireNonNull(dialect, "dialect");
    Objects.requireNonNull(thing, "thing");
    Objects.requireNonNull(unless, "unless");
    Objects.requireNonNull(sql, "sql");
  }

  /** In PostgreSQL's dialect. */
  public DefinitionStatement(String thing, String unless, String sql) {
    this(SqlDialect.POSTGRESQL, thing, unless, sql);
  }

  /** In PostgreSQL's dialect, never skipped. */
  public static DefinitionStatement always(String thing, String sql) {
    return new DefinitionStatement(thing, "", sql);
  }
}
