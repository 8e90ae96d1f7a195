package dev.sluice.connector.mariadb.server;

/**
 * Quotes texts as constants for a session of {@link MariadbServer}, where a backslash is an
 * ordinary character. Stateless.
 */
public final class SqlText {
  private SqlText() {}

  public static String of(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
