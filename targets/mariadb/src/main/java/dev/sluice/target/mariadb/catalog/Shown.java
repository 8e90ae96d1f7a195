package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;

/** Names in statements for people, whose sessions quote by backticks. Pure. */
final class Shown {
  private Shown() {}

  static String name(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  static String table(TableId table) {
    return name(table.schema()) + "." + name(table.name());
  }
}
