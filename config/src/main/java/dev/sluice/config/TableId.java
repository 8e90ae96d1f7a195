package dev.sluice.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a table on the source or on the target: schema and table, as that database's catalog
 * spells them. Immutable.
 */
public record TableId(String schema, String name) implements Comparable<TableId> {
  /** Longest name of a table, column or slot that PostgreSQL keeps, in bytes of UTF-8. */
  public static final int LONGEST_NAME = 63;

  private static final Pattern PART = Pattern.compile("\"((?:[^\"]|\"\")*)\"|([^.\"]*)");

  public TableId {
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(name, "name");
  }

  /**
   * Parses a name as users write it: {@code shop.orders}. Letter case counts. A part with a dot or
   * a quote stands in double quotes: {@code "My Shop"."order.s"}.
   *
   * @throws IllegalArgumentException if the text is not such a name
   */
  public static TableId parse(String text) {
    List<String> parts = new ArrayList<>();
    Matcher part = PART.matcher(text);
    int at = 0;
    while (part.find(at) && part.start() == at) {
      String quoted = part.group(1);
      parts.add(quoted == null ? part.group(2) : quoted.replace("\"\"", "\""));
      at = part.end();
      if (at == text.length() || text.charAt(at) != '.') {
        break;
      }
      at++;
    }
    if (parts.size() != 2 || at != text.length() || parts.contains("")) {
      throw new IllegalArgumentException(
          "\"%s\" is no table: expected SCHEMA.TABLE, a part with a dot in double quotes"
              .formatted(text));
    }
    return new TableId(parts.get(0), parts.get(1));
  }

  /** The name for SQL, each part in double quotes. */
  public String quoted() {
    return quote(schema) + "." + quote(name);
  }

  /** One identifier in double quotes, embedded quotes doubled. */
  public static String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  @Override
  public int compareTo(TableId other) {
    int bySchema = schema.compareTo(other.schema);
    return bySchema != 0 ? bySchema : name.compareTo(other.name);
  }

  /** For messages: {@code schema.name}, unquoted. */
  @Override
  public String toString() {
    return schema + "." + name;
  }
}
