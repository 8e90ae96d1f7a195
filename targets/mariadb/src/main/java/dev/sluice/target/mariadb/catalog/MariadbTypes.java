package dev.sluice.target.mariadb.catalog;

import dev.sluice.target.mariadb.server.ServerKind;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Maps PostgreSQL's types to types of MariaDB and MySQL that keep their values. Other types become
 * a longtext, which keeps the text. Pure.
 */
public final class MariadbTypes {
  private static final Pattern PRINTED =
      Pattern.compile("([a-z ]+?)(?:\\((\\d+)(?:,(\\d+))?\\))?( with(?:out)? time zone)?");

  private static final Map<String, String> SIMPLE =
      Map.ofEntries(
          Map.entry("boolean", "tinyint(1)"),
          Map.entry("smallint", "smallint"),
          Map.entry("integer", "int"),
          Map.entry("bigint", "bigint"),
          Map.entry("real", "float"),
          Map.entry("double precision", "double"),
          Map.entry("bytea", "longblob"),
          Map.entry("date", "date"),
          // MariaDB's type uuid refuses variants that RFC 4122 does not define.
          Map.entry("uuid", "char(36)"));

  private static final String TEXT = "longtext";
  private static final Set<String> WITH_CHARACTERS = Set.of("char", "varchar", TEXT);
  private static final int LONGEST_DECIMAL = 65;
  private static final int LONGEST_CHAR = 255;
  private static final int LONGEST_VARCHAR = 16_383;
  private static final int LONGEST_BIT = 64;

  private MariadbTypes() {}

  /**
   * @param printed the type as PostgreSQL prints it
   */
  public static String of(ServerKind server, String printed) {
    String type = typeOf(server, printed);
    return WITH_CHARACTERS.contains(type.replaceFirst("\\(.*", ""))
        ? type + " CHARACTER SET utf8mb4 COLLATE " + server.binaryCollation()
        : type;
  }

  private static String typeOf(ServerKind server, String printed) {
    Matcher parts = PRINTED.matcher(printed);
    if (!parts.matches()) {
      return TEXT;
    }
    String name = parts.group(1) + (parts.group(4) == null ? "" : parts.group(4));
    int first = parts.group(2) == null ? -1 : Integer.parseInt(parts.group(2));
    int second = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
    String fraction = "(" + (first < 0 ? 6 : first) + ")";
    return switch (name) {
      case "numeric" ->
          first > 0
                  && first <= LONGEST_DECIMAL
                  && second <= Math.min(first, server.longestFraction())
              ? "decimal(%d,%d)".formatted(first, second)
              : TEXT;
      case "character varying" ->
          first > 0 && first <= LONGEST_VARCHAR ? "varchar(" + first + ")" : TEXT;
      case "character" -> first > 0 && first <= LONGEST_CHAR ? "char(" + first + ")" : TEXT;
      case "bit" -> first > 0 && first <= LONGEST_BIT ? "bit(" + first + ")" : TEXT;
      case "timestamp without time zone", "timestamp with time zone" -> "datetime" + fraction;
      case "time without time zone" -> "time" + fraction;
      default -> SIMPLE.getOrDefault(name, TEXT);
    };
  }
}
