package dev.sluice.connector.postgres.server;

import dev.sluice.config.TableId;

/** Quotes text as a string constant of SQL. Stateless. */
public final class SqlLiteral {
  private SqlLiteral() {}

  public static String of(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  /** The {@code regclass} constant of a table or sequence. */
  public static String regclass(TableId relation) {
    return of(relation.quoted()) + "::regclass";
  }
}
