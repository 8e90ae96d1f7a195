package dev.sluice.target.mariadb.definition;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Translates constant defaults of PostgreSQL to MariaDB's literals. Functions are not translated:
 * the current time, for one, is in the session's time zone on MariaDB. Pure.
 */
final class ConstantDefault {
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(?:\\.\\d+)?");
  private static final Pattern QUOTED_NUMBER =
      Pattern.compile("\\(?'(-?\\d+(?:\\.\\d+)?)'::[a-z ]+(?:\\(\\d+(?:,\\d+)?\\))?\\)?");
  private static final Pattern CAST_NUMBER =
      Pattern.compile("\\(?\\(?(-?\\d+(?:\\.\\d+)?)\\)?\\)?::[a-z ]+(?:\\(\\d+(?:,\\d+)?\\))?");

  /**
   * A text without backslashes and its cast. The type may be quoted, be an array or have a length.
   */
  private static final Pattern TEXT =
      Pattern.compile(
          "'((?:[^'\\\\]|'')*)'::(?!.* COLLATE )[\\w\".\\[\\] ]+(?:\\(\\d+(?:,\\d+)?\\))?(?:\\[\\])?");

  private static final Pattern NULL = Pattern.compile("NULL(::.*)?");

  private ConstantDefault() {}

  /** Whether the default is NULL, so that there is none. */
  static boolean isNull(String expression) {
    return NULL.matcher(expression).matches();
  }

  /**
   * @param expression as PostgreSQL prints it
   * @param type of the column on MariaDB
   * @return the literal; empty if the expression is not a constant, or the column would change it
   */
  static Optional<String> of(String expression, String type) {
    String name = type.replaceFirst("[ (].*", "");
    return switch (name) {
      case "tinyint" ->
          expression.equals("true")
              ? Optional.of("1")
              : expression.equals("false") ? Optional.of("0") : Optional.empty();
      case "smallint", "int", "bigint", "decimal", "float", "double" -> number(expression);
      case "varchar", "char", "longtext" -> text(expression);
      default -> Optional.empty();
    };
  }

  private static Optional<String> number(String expression) {
    if (NUMBER.matcher(expression).matches()) {
      return Optional.of(expression);
    }
    for (Pattern pattern : new Pattern[] {QUOTED_NUMBER, CAST_NUMBER}) {
      Matcher matcher = pattern.matcher(expression);
      if (matcher.matches()) {
        return Optional.of(matcher.group(1));
      }
    }
    return Optional.empty();
  }

  private static Optional<String> text(String expression) {
    if (NUMBER.matcher(expression).matches()) {
      return Optional.of("'" + expression + "'");
    }
    Matcher matcher = TEXT.matcher(expression);
    return matcher.matches() ? Optional.of("'" + matcher.group(1) + "'") : Optional.empty();
  }
}
