package dev.sluice.config;

import dev.sluice.config.ColumnExpression.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * From the weakest to the strongest, as SQLite has it: OR, AND, NOT, comparisons, + and -, * and / and
 * %, ||. SQLite makes a text of whatever || and the functions of texts are given, so a cast does the
 * same; where PostgreSQL cannot cast without looking at a setting, it says so at the check.
 */
/** Reads the expression of an added column, once. */
final class ColumnExpressionParser {
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(?:(?<column>\\$[A-Za-z_][A-Za-z0-9_]*)|(?<number>\\d+(?:\\.\\d+)?)|(?<text>'(?:[^']|'')*')"
              + "|(?<word>[A-Za-z_][A-Za-z0-9_]*)|(?<sign>\\|\\||<>|!=|<=|>=|==|[-+*/%(),<>=]))");

  /** How many arguments a function takes, and what it is called in PostgreSQL. */
  private record Function(String name, int least, int most, boolean ofTexts) {}

  private static final Map<String, Function> FUNCTIONS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("lower", new Function("lower", 1, 1, true)),
              Map.entry("upper", new Function("upper", 1, 1, true)),
              Map.entry("ltrim", new Function("ltrim", 1, 2, true)),
              Map.entry("rtrim", new Function("rtrim", 1, 2, true)),
              Map.entry("trim", new Function("btrim", 1, 2, true)),
              Map.entry("replace", new Function("replace", 3, 3, true)),
              Map.entry("length", new Function("length", 1, 1, true)),
              Map.entry("instr", new Function("strpos", 2, 2, true)),
              Map.entry("abs", new Function("abs", 1, 1, false)),
              Map.entry("coalesce", new Function("coalesce", 2, 100, false)),
              Map.entry("ifnull", new Function("coalesce", 2, 2, false)),
              Map.entry("nullif", new Function("nullif", 2, 2, false))));

  private static final Map<String, String> REFUSED =
      Map.ofEntries(
          Map.entry("random", "has another value each time"),
          Map.entry("randomblob", "has another value each time"),
          Map.entry("operation_indicator", "hangs on the change, and the column is the row's"),
          Map.entry("max", "treats NULL otherwise than PostgreSQL's greatest"),
          Map.entry("min", "treats NULL otherwise than PostgreSQL's least"),
          Map.entry("round", "rounds halves otherwise than PostgreSQL"),
          Map.entry("date", "reads any text as a date"),
          Map.entry("time", "reads any text as a time"),
          Map.entry("datetime", "reads any text as a time"),
          Map.entry("julianday", "reads any text as a time"),
          Map.entry("strftime", "reads any text as a time"),
          Map.entry(
              "hash_sha256", "is not computed by PostgreSQL without looking at the encoding"));

  private final String text;
  private final List<String> tokens = new ArrayList<>();
  private int at;

  ColumnExpressionParser(String text) {
    this.text = text;
    Matcher matcher = TOKEN.matcher(text.strip());
    int end = 0;
    while (matcher.find(end) && matcher.start() == end) {
      tokens.add(matcher.group().strip());
      end = matcher.end();
      if (end == text.strip().length()) {
        break;
      }
    }
    if (end != text.strip().length() || tokens.isEmpty()) {
      throw new IllegalArgumentException(
          "it is not understood from \"" + text.strip().substring(end) + "\" on");
    }
  }

  List<Part> parts() {
    List<Part> parts = either();
    if (at < tokens.size()) {
      throw new IllegalArgumentException("\"" + tokens.get(at) + "\" is not expected there");
    }
    return parts;
  }

  private List<Part> either() {
    List<Part> left = both();
    while (takes("OR")) {
      left = join(left, "OR", both());
    }
    return left;
  }

  private List<Part> both() {
    List<Part> left = negated();
    while (takes("AND")) {
      left = join(left, "AND", negated());
    }
    return left;
  }

  private List<Part> negated() {
    return takes("NOT") ? join(List.of(), "NOT", negated()) : comparison();
  }

  private List<Part> comparison() {
    List<Part> left = sum();
    while (true) {
      if (takes("IS")) {
        String not = takes("NOT") ? "IS NOT NULL" : "IS NULL";
        require("NULL");
        left = join(left, not, List.of());
      } else if (isOneOf("=", "==", "<>", "!=", "<", "<=", ">", ">=")) {
        String sign = tokens.get(at++);
        left = join(left, sign.equals("==") ? "=" : sign.equals("!=") ? "<>" : sign, sum());
      } else {
        return left;
      }
    }
  }

  private List<Part> sum() {
    List<Part> left = product();
    while (isOneOf("+", "-")) {
      left = join(left, tokens.get(at++), product());
    }
    return left;
  }

  private List<Part> product() {
    List<Part> left = concatenation();
    while (isOneOf("*", "/", "%")) {
      left = join(left, tokens.get(at++), concatenation());
    }
    return left;
  }

  private List<Part> concatenation() {
    List<Part> left = signed();
    if (!isOneOf("||")) {
      return left;
    }
    left = asText(left);
    while (takes("||")) {
      left = join(left, "||", asText(signed()));
    }
    return left;
  }

  private List<Part> signed() {
    return takes("-") ? join(List.of(), "-", signed()) : single();
  }

  private List<Part> single() {
    if (at >= tokens.size()) {
      throw new IllegalArgumentException("it ends too early");
    }
    String token = tokens.get(at++);
    if (token.equals("(")) {
      List<Part> inner = either();
      require(")");
      return wrapped(inner);
    }
    if (token.startsWith("$")) {
      return List.of(reference(token.substring(1)));
    }
    if (token.startsWith("'")) {
      return List.of(new Part.Sql(token + "::text"));
    }
    if (Character.isDigit(token.charAt(0)) || token.equalsIgnoreCase("NULL")) {
      return List.of(new Part.Sql(token));
    }
    if (token.equalsIgnoreCase("CASE")) {
      return cases();
    }
    if (at < tokens.size() && tokens.get(at).equals("(")) {
      at++;
      return function(token.toLowerCase(Locale.ROOT));
    }
    throw new IllegalArgumentException(
        "\"" + token + "\" is not expected there; a column is written $" + token);
  }

  private static Part reference(String name) {
    return switch (name) {
      case "AR_M_SOURCE_SCHEMA" -> new Part.OfTable(true);
      case "AR_M_SOURCE_TABLE_NAME" -> new Part.OfTable(false);
      default -> {
        if (name.startsWith("AR_H_")) {
          throw new IllegalArgumentException(
              "$"
                  + name
                  + " is of the change and not of the row; the target computes the column"
                  + " from the row");
        }
        if (name.startsWith("AR_M_")) {
          throw new IllegalArgumentException("$" + name + " is not known here");
        }
        yield new Part.Reference(name);
      }
    };
  }

  private List<Part> cases() {
    List<Part> parts = new ArrayList<>(List.of(new Part.Sql("CASE")));
    if (!is("WHEN")) {
      parts.addAll(either());
    }
    do {
      require("WHEN");
      parts.add(new Part.Sql("WHEN"));
      parts.addAll(either());
      require("THEN");
      parts.add(new Part.Sql("THEN"));
      parts.addAll(either());
    } while (is("WHEN"));
    if (takes("ELSE")) {
      parts.add(new Part.Sql("ELSE"));
      parts.addAll(either());
    }
    require("END");
    parts.add(new Part.Sql("END"));
    return parts;
  }

  private List<Part> function(String name) {
    if (REFUSED.containsKey(name)) {
      throw new IllegalArgumentException(name + "() " + REFUSED.get(name));
    }
    boolean part = name.equals("substr") || name.equals("substring");
    Function function = part ? new Function("substr", 2, 3, false) : FUNCTIONS.get(name);
    if (function == null) {
      throw new IllegalArgumentException(
          name + "() is not one of: substr, " + String.join(", ", FUNCTIONS.keySet()));
    }
    List<List<Part>> arguments = new ArrayList<>();
    do {
      boolean text = function.ofTexts() || part && arguments.isEmpty();
      if (part && !arguments.isEmpty()) {
        arguments.add(List.of(place(arguments.size() == 1 ? 1 : 0)));
      } else {
        arguments.add(text ? asText(either()) : either());
      }
    } while (takes(","));
    require(")");
    if (arguments.size() < function.least() || arguments.size() > function.most()) {
      throw new IllegalArgumentException(
          name + "() with " + Counted.of(arguments.size(), "argument"));
    }
    List<Part> parts = new ArrayList<>(List.of(new Part.Sql(function.name() + "(")));
    for (int i = 0; i < arguments.size(); i++) {
      if (i > 0) {
        parts.add(new Part.Sql(","));
      }
      parts.addAll(arguments.get(i));
    }
    parts.add(new Part.Sql(")"));
    return parts;
  }

  /** Places below 1 mean others in SQLite. */
  private Part place(int least) {
    String token = at < tokens.size() ? tokens.get(at++) : "";
    if (!token.matches("\\d{1,9}") || Integer.parseInt(token) < least) {
      throw new IllegalArgumentException(
          "substr() takes a place and a length as whole numbers from 1 on, not \"" + token + "\"");
    }
    return new Part.Sql(token);
  }

  private static List<Part> asText(List<Part> operand) {
    List<Part> parts = new ArrayList<>(List.of(new Part.Sql("(")));
    parts.addAll(operand);
    parts.add(new Part.Sql(")::text"));
    return parts;
  }

  private static List<Part> wrapped(List<Part> inner) {
    List<Part> parts = new ArrayList<>(List.of(new Part.Sql("(")));
    parts.addAll(inner);
    parts.add(new Part.Sql(")"));
    return parts;
  }

  /** In parentheses, since PostgreSQL gives the operators another order. */
  private static List<Part> join(List<Part> left, String operator, List<Part> right) {
    List<Part> parts = new ArrayList<>(List.of(new Part.Sql("(")));
    parts.addAll(left);
    parts.add(new Part.Sql(operator));
    parts.addAll(right);
    parts.add(new Part.Sql(")"));
    return parts;
  }

  private boolean is(String word) {
    return at < tokens.size() && tokens.get(at).equalsIgnoreCase(word);
  }

  private boolean isOneOf(String... signs) {
    return at < tokens.size() && List.of(signs).contains(tokens.get(at));
  }

  private boolean takes(String word) {
    if (is(word)) {
      at++;
      return true;
    }
    return false;
  }

  private void require(String word) {
    if (!takes(word)) {
      throw new IllegalArgumentException(
          "\"" + word + "\" is missing" + (at < tokens.size() ? " before " + tokens.get(at) : ""));
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
