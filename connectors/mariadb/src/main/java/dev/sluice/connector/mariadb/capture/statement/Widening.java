package dev.sluice.connector.mariadb.capture.statement;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides which changes of a column's type keep each value, or are refused by a server in strict
 * mode. Pure.
 */
final class Widening {
  private static final List<String> NUMBERS = List.of("smallint", "integer", "bigint");
  private static final Pattern DECIMAL = Pattern.compile("numeric\\((\\d+),(\\d+)\\)");
  private static final Pattern LENGTH = Pattern.compile("character varying\\((\\d+)\\)");

  private Widening() {}

  /**
   * @param before the type of PostgreSQL that the column had
   * @param now the new declaration of the column
   */
  static boolean keepsValues(String before, ColumnText now) {
    String after = now.mappedType();
    return switch (now.dataType()) {
      case "tinyint", "smallint", "mediumint", "int", "bigint" -> ofNumbers(before, after);
      case "decimal" -> ofDecimals(before, after);
      case "varchar", "text", "mediumtext", "longtext" -> ofTexts(before, after);
      case "double",
          "float",
          "date",
          "datetime",
          "timestamp",
          "time",
          "varbinary",
          "mediumblob",
          "longblob",
          "blob" ->
          before.equals(after);
      default -> false;
    };
  }

  /** Whether a change between types of numbers keeps the text of each value. */
  private static boolean ofNumbers(String before, String after) {
    boolean unsigned = after.equals("numeric(20,0)");
    return unsigned && (NUMBERS.contains(before) || before.equals(after))
        || NUMBERS.contains(before) && NUMBERS.indexOf(after) >= NUMBERS.indexOf(before);
  }

  private static boolean ofDecimals(String before, String after) {
    Matcher old = DECIMAL.matcher(before);
    Matcher now = DECIMAL.matcher(after);
    if (!old.matches() || !now.matches()) {
      return false;
    }
    int oldScale = Integer.parseInt(old.group(2));
    int nowScale = Integer.parseInt(now.group(2));
    return nowScale >= oldScale
        && Integer.parseInt(now.group(1)) - nowScale >= Integer.parseInt(old.group(1)) - oldScale;
  }

  private static boolean ofTexts(String before, String after) {
    Matcher old = LENGTH.matcher(before);
    Matcher now = LENGTH.matcher(after);
    if (after.equals("text")) {
      return before.equals("text") || old.matches();
    }
    return old.matches()
        && now.matches()
        && Integer.parseInt(now.group(1)) >= Integer.parseInt(old.group(1));
  }
}
