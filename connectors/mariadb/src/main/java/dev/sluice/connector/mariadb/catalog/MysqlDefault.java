package dev.sluice.connector.mariadb.catalog;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Converts the default of a column in MySQL's catalog to an expression. The catalog has constants
 * without quotes. Stateless.
 */
final class MysqlDefault {
  private static final String EXPRESSION = "default_generated";

  /** Types whose constants need no quotes. */
  private static final Set<String> BARE =
      Set.of(
          "tinyint",
          "smallint",
          "mediumint",
          "int",
          "bigint",
          "decimal",
          "float",
          "double",
          "bit",
          "year",
          "binary",
          "varbinary");

  private static final String NOW = "CURRENT_TIMESTAMP";

  private MysqlDefault() {}

  /**
   * The expression, as MariaDB's catalog has it; empty if there is no default.
   *
   * @param type the column's, without modifiers
   * @param given the catalog's COLUMN_DEFAULT
   * @param extra the catalog's EXTRA
   */
  static Optional<String> of(String type, String given, String extra) {
    if (given == null) {
      return Optional.empty();
    }
    if (extra.toLowerCase(Locale.ROOT).contains(EXPRESSION)) {
      return Optional.of(given.equals(NOW) ? NOW + "()" : MysqlExpression.of(given));
    }
    return Optional.of(
        BARE.contains(type.toLowerCase(Locale.ROOT))
            ? given
            : "'" + given.replace("\\", "\\\\").replace("'", "''") + "'");
  }
}
