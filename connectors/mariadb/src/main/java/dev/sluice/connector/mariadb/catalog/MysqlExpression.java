package dev.sluice.connector.mariadb.catalog;

/** Expressions as MySQL's catalog prints them. Stateless. */
public final class MysqlExpression {
  private MysqlExpression() {}

  /** The expression as a statement has it: the catalog escapes all quotes and backslashes. */
  public static String of(String printed) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < printed.length(); i++) {
      boolean escapes = printed.charAt(i) == '\\' && i + 1 < printed.length();
      text.append(printed.charAt(escapes ? ++i : i));
    }
    return text.toString();
  }
}
