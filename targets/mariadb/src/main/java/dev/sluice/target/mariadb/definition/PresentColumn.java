package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A column of an existing table, as the server prints its definition. From it a definition is made
 * that differs only in type, name or NOT NULL. Immutable.
 *
 * @param type without its character set
 * @param characters character set and collation of a text; the server prints them only if they
 *     differ from the table's
 * @param notNull whether NULL is refused
 * @param rest the text after it, such as the default and the comment
 */
record PresentColumn(String name, String type, String characters, boolean notNull, String rest) {
  /** Texts and names in it may contain line breaks. */
  private static final Pattern LINE =
      Pattern.compile(
          "(?:[^'\"`\n]++|'[^']*+(?:''[^']*+)*+'|\"[^\"]*+(?:\"\"[^\"]*+)*+\"|`[^`]*+(?:``[^`]*+)*+`)++");

  private static final Pattern ATTRIBUTES =
      Pattern.compile(
          "(?s)(?: CHARACTER SET \\w+)?(?: COLLATE \\w+)?( NOT NULL| NULL)?( DEFAULT NULL)?(.*)");

  private static final Pattern ESCAPED = Pattern.compile("(?s)\\\\(.)");

  private static final Pattern TEXT =
      Pattern.compile(" (?:DEFAULT|COMMENT) '[^']*+(?:''[^']*+)*+'");

  private static final Pattern DEFAULT =
      Pattern.compile("(?s) DEFAULT ('(?:[^']|'')*'|-?[0-9.]+).*");

  /**
   * Finds a column in the text of CREATE TABLE.
   *
   * @param type as the catalog has it, without its character set
   * @param characters as the catalog has them
   * @return empty if the text does not contain it in the expected form
   */
  static Optional<PresentColumn> in(String create, String name, String type, String characters) {
    String begin = "  " + TableId.quote(name) + " " + type;
    return LINE.matcher(create)
        .results()
        .map(MatchResult::group)
        .filter(line -> line.startsWith(begin))
        .map(line -> line.substring(begin.length()).replaceFirst(",$", ""))
        .filter(attributes -> attributes.isEmpty() || attributes.startsWith(" "))
        .filter(attributes -> !attributes.contains(" GENERATED ALWAYS AS "))
        .findFirst()
        .map(PresentColumn::withoutEscapes)
        .filter(PresentColumn::isPlain)
        .map(attributes -> of(name, type, characters, attributes));
  }

  /** The server prints texts with backslash escapes, which the session would not read as such. */
  private static String withoutEscapes(String attributes) {
    return TEXT.matcher(attributes)
        .replaceAll(
            text ->
                Matcher.quoteReplacement(
                    ESCAPED
                        .matcher(text.group())
                        .replaceAll(escaped -> Matcher.quoteReplacement(meant(escaped.group(1))))));
  }

  private static String meant(String escaped) {
    return switch (escaped) {
      case "n" -> "\n";
      case "r" -> "\r";
      case "0" -> "\0";
      default -> escaped;
    };
  }

  /** Whether it has backslashes only in texts: an expression may contain them in another form. */
  private static boolean isPlain(String attributes) {
    return !TEXT.matcher(attributes).replaceAll("").contains("\\");
  }

  private static PresentColumn of(String name, String type, String characters, String attributes) {
    Matcher parts = ATTRIBUTES.matcher(attributes);
    if (!parts.matches()) {
      throw new IllegalStateException("BUG: a column without attributes: " + attributes);
    }
    return new PresentColumn(
        name, type, characters, " NOT NULL".equals(parts.group(1)), parts.group(3));
  }

  /** The default if it is a constant; empty if there is none. */
  Optional<String> constant() {
    Matcher constant = DEFAULT.matcher(rest);
    return constant.matches() ? Optional.of(constant.group(1)) : Optional.empty();
  }

  /** Whether it has a default, also one that is not a constant. */
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
   * Its definition with another type, name or NOT NULL.
   *
   * @param made the type with the character set that created tables have, for a column without one
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
