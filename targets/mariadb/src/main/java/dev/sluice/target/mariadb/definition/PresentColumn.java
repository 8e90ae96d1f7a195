package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A column of a table that is there, as the server writes its definition. With it a definition is
 * written that differs in type or NULL only. Immutable.
 *
 * @param type without its characters
 * @param characters character set and collation; empty if the server wrote none
 * @param notNull whether NULL is refused
 * @param rest what stands behind, such as the default and the comment
 */
record PresentColumn(String name, String type, String characters, boolean notNull, String rest) {
  private static final Pattern ATTRIBUTES =
      Pattern.compile(
          "(?s)((?: CHARACTER SET \\w+)?(?: COLLATE \\w+)?)( NOT NULL| NULL)?( DEFAULT NULL)?(.*)");

  private static final Pattern DEFAULT =
      Pattern.compile("(?s) DEFAULT ('(?:[^']|'')*'|-?[0-9.]+).*");

  /**
   * Finds a column in the text of CREATE TABLE.
   *
   * @param type as the catalog has it
   * @return empty if the text does not have it in the expected form
   */
  static Optional<PresentColumn> in(String create, String name, String type) {
    String begin = "  " + TableId.quote(name) + " " + type;
    return create
        .lines()
        .filter(line -> line.startsWith(begin))
        .map(line -> line.substring(begin.length()).replaceFirst(",$", ""))
        .filter(attributes -> attributes.isEmpty() || attributes.startsWith(" "))
        .filter(attributes -> !attributes.contains(" GENERATED ALWAYS AS "))
        .map(attributes -> of(name, type, attributes))
        .findFirst();
  }

  private static PresentColumn of(String name, String type, String attributes) {
    Matcher parts = ATTRIBUTES.matcher(attributes);
    if (!parts.matches()) {
      throw new IllegalStateException("BUG: a column without attributes: " + attributes);
    }
    return new PresentColumn(
        name, type, parts.group(1), " NOT NULL".equals(parts.group(2)), parts.group(4));
  }

  /** The constant that is the default; empty if there is none. */
  Optional<String> constant() {
    Matcher constant = DEFAULT.matcher(rest);
    return constant.matches() ? Optional.of(constant.group(1)) : Optional.empty();
  }

  /** Whether it has a default, also one that is no constant. */
  boolean hasDefault() {
    return rest.startsWith(" DEFAULT ");
  }

  /** A literal without its quotes. */
  static String unquoted(String literal) {
    return literal.startsWith("'")
        ? literal.substring(1, literal.length() - 1).replace("''", "'")
        : literal;
  }

  /**
   * Its definition with another type, name or NULL.
   *
   * @param made a type with the characters of tables that are made, for a column that has none
   */
  String altered(String newName, String made, boolean newNotNull) {
    String text = made;
    if (made.equals(type)) {
      text = type + characters;
    } else if (!characters.isEmpty() && made.contains(" CHARACTER SET ")) {
      text = made.replaceFirst(" CHARACTER SET .*", "") + characters;
    }
    return "%s %s %s%s"
        .formatted(TableId.quote(newName), text, newNotNull ? "NOT NULL" : "NULL", rest);
  }
}
