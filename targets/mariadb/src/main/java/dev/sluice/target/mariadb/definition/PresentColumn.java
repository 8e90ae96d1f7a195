package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A column of a table that is there, as the server writes its definition. With it a definition is
 * written that differs in type or NULL only. Immutable.
 *
 * @param type without its characters
 * @param characters character set and collation, of a text; the server writes them only if they are
 *     not those of the table
 * @param notNull whether NULL is refused
 * @param rest what stands behind, such as the default and the comment
 */
record PresentColumn(String name, String type, String characters, boolean notNull, String rest) {
  /** Texts and names in it may have the ends of lines. */
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
   * @param type as the catalog has it, without its characters
   * @param characters as the catalog has them
   * @return empty if the text does not have it in the expected form
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

  /** The server writes texts with escapes by backslashes, which the session does not read. */
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

  /** What is computed or checked may be written in another way than texts are. */
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
