package dev.sluice.config.transformation;

import dev.sluice.config.Counted;
import dev.sluice.config.transformation.ColumnExpression.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/*
 * SQLite's precedence, from low to high: OR, AND, NOT, comparisons, + and -, * and / and %, ||. SQLite converts operands of || and of text functions to text; a cast does the same. Where PostgreSQL's cast depends on a setting, the check reports it.
 */
/** Parses the expression of an added column. Used once. */
final class ColumnExpressionParser {
  private final ExpressionTokens tokens;

  /**
   * @throws IllegalArgumentException if the text has an unknown token
   */
  ColumnExpressionParser(String text) {
    this.tokens = new ExpressionTokens(text);
  }

  /**
   * @throws IllegalArgumentException with what is not supported, and why
   */
  List<Part> parts() {
    List<Part> parts = either();
    tokens.requireEnd();
    return parts;
  }

  private List<Part> either() {
    List<Part> left = both();
    while (tokens.takes("OR")) {
      left = join(left, "OR", both());
    }
    return left;
  }

  private List<Part> both() {
    List<Part> left = negated();
    while (tokens.takes("AND")) {
      left = join(left, "AND", negated());
    }
    return left;
  }

  private List<Part> negated() {
    return tokens.takes("NOT") ? join(List.of(), "NOT", negated()) : comparison();
  }

  private List<Part> comparison() {
    List<Part> left = sum();
    while (true) {
      if (tokens.takes("IS")) {
        String not = tokens.takes("NOT") ? "IS NOT NULL" : "IS NULL";
        tokens.require("NULL");
        left = join(left, not, List.of());
      } else if (tokens.isOneOf("=", "==", "<>", "!=", "<", "<=", ">", ">=")) {
        String sign = tokens.next();
        left = join(left, sign.equals("==") ? "=" : sign.equals("!=") ? "<>" : sign, sum());
      } else {
        return left;
      }
    }
  }

  private List<Part> sum() {
    List<Part> left = product();
    while (tokens.isOneOf("+", "-")) {
      left = join(left, tokens.next(), product());
    }
    return left;
  }

  private List<Part> product() {
    List<Part> left = concatenation();
    while (tokens.isOneOf("*", "/", "%")) {
      left = join(left, tokens.next(), concatenation());
    }
    return left;
  }

  private List<Part> concatenation() {
    List<Part> left = signed();
    if (!tokens.isOneOf("||")) {
      return left;
    }
    left = asText(left);
    while (tokens.takes("||")) {
      left = join(left, "||", asText(signed()));
    }
    return left;
  }

  private List<Part> signed() {
    return tokens.takes("-") ? join(List.of(), "-", signed()) : single();
  }

  private List<Part> single() {
    String token = tokens.next();
    if (token.equals("(")) {
      List<Part> inner = either();
      tokens.require(")");
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
    if (tokens.takes("(")) {
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
                  + " belongs to the change, but the target computes the column from the row");
        }
        if (name.startsWith("AR_M_")) {
          throw new IllegalArgumentException("$" + name + " is not supported");
        }
        yield new Part.Reference(name);
      }
    };
  }

  private List<Part> cases() {
    List<Part> parts = new ArrayList<>(List.of(new Part.Sql("CASE")));
    if (!tokens.is("WHEN")) {
      parts.addAll(either());
    }
    do {
      tokens.require("WHEN");
      parts.add(new Part.Sql("WHEN"));
      parts.addAll(either());
      tokens.require("THEN");
      parts.add(new Part.Sql("THEN"));
      parts.addAll(either());
    } while (tokens.is("WHEN"));
    if (tokens.takes("ELSE")) {
      parts.add(new Part.Sql("ELSE"));
      parts.addAll(either());
    }
    tokens.require("END");
    parts.add(new Part.Sql("END"));
    return parts;
  }

  private List<Part> function(String name) {
    ExpressionFunction function = ExpressionFunction.named(name);
    List<List<Part>> arguments = new ArrayList<>();
    do {
      arguments.add(argument(function, arguments.size()));
    } while (tokens.takes(","));
    tokens.require(")");
    if (!function.takes(arguments.size())) {
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

  private List<Part> argument(ExpressionFunction function, int index) {
    return switch (function.arguments()) {
      case ANY -> either();
      case TEXTS -> asText(either());
      case TEXT_AND_PLACES -> index == 0 ? asText(either()) : List.of(number(index == 1 ? 1 : 0));
    };
  }

  /** Numbers below 1 have another meaning in SQLite. */
  private Part number(int least) {
    String token = tokens.isAtEnd() ? "" : tokens.next();
    if (!token.matches("\\d{1,9}") || Integer.parseInt(token) < least) {
      throw new IllegalArgumentException(
          "substr() needs a start and a length that are whole numbers from 1, not \""
              + token
              + "\"");
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

  /** In parentheses, since PostgreSQL's precedence differs. */
  private static List<Part> join(List<Part> left, String operator, List<Part> right) {
    List<Part> parts = new ArrayList<>(List.of(new Part.Sql("(")));
    parts.addAll(left);
    parts.add(new Part.Sql(operator));
    parts.addAll(right);
    parts.add(new Part.Sql(")"));
    return parts;
  }
}
