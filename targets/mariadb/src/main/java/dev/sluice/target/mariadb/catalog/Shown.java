package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;

/** Names in statements for messages, whose sessions quote by backticks. Pure. */
public final class Shown {
  private Shown() {}

  public static String name(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  /** A text in quotes, for sessions without escapes by backslashes. */
  public static String text(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  public static String table(TableId table) {
    return name(table.schema()) + "." + name(table.name());
  }
}
