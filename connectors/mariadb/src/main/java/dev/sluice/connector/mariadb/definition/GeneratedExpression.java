package dev.sluice.connector.mariadb.definition;

import dev.sluice.connector.mariadb.definition.ExpressionWords.Kind;
import dev.sluice.connector.mariadb.definition.ExpressionWords.Token;
import dev.sluice.connector.mariadb.server.SqlText;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads the expression of a generated column, by the grammar of what both servers compute alike:
 * columns and constants, sums, differences and products of exact numbers, their comparisons, AND,
 * OR, NOT and IS NULL, IF, CASE, COALESCE and IFNULL, and CONCAT. All else is refused with a
 * reason. Used once.
 */
final class GeneratedExpression {
  private static final Set<String> COMPARISONS = Set.of("=", "<>", "!=", "<", "<=", ">", ">=");
  private static final int LONGEST_WHOLE = 18;
  private static final int ASCII_END = 128;

  private final ComputedColumns columns;
  private final List<Token> tokens;
  private int next;

  private GeneratedExpression(ComputedColumns columns, List<Token> tokens) {
    this.columns = columns;
    this.tokens = tokens;
  }

  /**
   * Reads an expression as the catalog prints it.
   *
   * @throws NotComputed if it is not certain that both servers compute the same
   */
  static Computed read(String expression, ComputedColumns columns) throws NotComputed {
    List<Token> tokens =
        ExpressionWords.of(expression)
            .orElseThrow(() -> new NotComputed("not all of its signs are known"))
            .stream()
            .filter(token -> token.kind() != Kind.BLANK)
            .toList();
    GeneratedExpression reading = new GeneratedExpression(columns, tokens);
    Computed whole = reading.either();
    if (reading.next < tokens.size()) {
      throw new NotComputed("%s is not known here".formatted(tokens.get(reading.next).printed()));
    }
    return whole;
  }

  private Computed either() throws NotComputed {
    Computed left = both();
    while (takes("or")) {
      ComputedTruth first = truth(left);
      ComputedTruth second = truth(both());
      left =
          new ComputedTruth(
              "(%s OR %s)".formatted(first.sql(), second.sql()),
              first.nullable() || second.nullable());
    }
    return left;
  }

  private Computed both() throws NotComputed {
    Computed left = negation();
    while (takes("and")) {
      ComputedTruth first = truth(left);
      ComputedTruth second = truth(negation());
      left =
          new ComputedTruth(
              "(%s AND %s)".formatted(first.sql(), second.sql()),
              first.nullable() || second.nullable());
    }
    return left;
  }

  private Computed negation() throws NotComputed {
    if (!takes("not")) {
      return comparison();
    }
    ComputedTruth negated = truth(negation());
    return new ComputedTruth("(NOT %s)".formatted(negated.sql()), negated.nullable());
  }

  private Computed comparison() throws NotComputed {
    Computed left = sum();
    if (takes("is")) {
      boolean not = takes("not");
      expect("null");
      return new ComputedTruth("(%s IS %sNULL)".formatted(left.sql(), not ? "NOT " : ""), false);
    }
    if (next < tokens.size()
        && tokens.get(next).kind() == Kind.SIGN
        && COMPARISONS.contains(tokens.get(next).value())) {
      String operator = tokens.get(next++).value();
      if (left instanceof ComputedText) {
        throw new NotComputed("it compares texts, whose order depends on their collation");
      }
      return number(left).compared(operator.equals("!=") ? "<>" : operator, number(sum()));
    }
    return left;
  }

  private Computed sum() throws NotComputed {
    Computed left = product();
    while (true) {
      if (takes("+")) {
        left = number(left).plus(number(product()));
      } else if (takes("-")) {
        left = number(left).minus(number(product()));
      } else {
        return left;
      }
    }
  }

  private Computed product() throws NotComputed {
    Computed left = signed();
    while (takes("*")) {
      left = number(left).times(number(signed()));
    }
    return left;
  }

  private Computed signed() throws NotComputed {
    return takes("-") ? number(signed()).negated() : single();
  }

  private Computed single() throws NotComputed {
    if (takes("(")) {
      Computed inner = either();
      expect(")");
      return inner;
    }
    Token token = take();
    return switch (token.kind()) {
      case COLUMN -> columns.of(token.value());
      case NUMBER -> constant(token.value());
      case TEXT -> text(token);
      case WORD -> word(token.value());
      case SIGN, BLANK -> throw new NotComputed("%s is not known here".formatted(token.printed()));
    };
  }

  private Computed word(String word) throws NotComputed {
    if (word.equals("case")) {
      return cases();
    }
    if (!takes("(")) {
      throw new NotComputed("%s is not known here".formatted(word));
    }
    List<Computed> arguments = new ArrayList<>();
    do {
      arguments.add(either());
    } while (takes(","));
    expect(")");
    return switch (word) {
      case "if" -> {
        if (arguments.size() != 3) {
          throw new NotComputed("IF without three arguments is not known here");
        }
        yield choice(truth(arguments.get(0)), arguments.get(1), arguments.get(2));
      }
      case "ifnull", "coalesce" -> first(arguments);
      case "concat" -> joined(arguments);
      default ->
          throw new NotComputed(
              "the function %s is not known to be the same in PostgreSQL".formatted(word));
    };
  }

  /** Conditions of CASE, not its form with a value, which compares. */
  private Computed cases() throws NotComputed {
    if (!takes("when")) {
      throw new NotComputed("CASE with a value is not known here");
    }
    ComputedTruth condition = truth(either());
    expect("then");
    Computed then = either();
    if (next < tokens.size()
        && tokens.get(next).kind() == Kind.WORD
        && tokens.get(next).value().equals("when")) {
      return choice(condition, then, cases());
    }
    expect("else");
    Computed otherwise = either();
    expect("end");
    return choice(condition, then, otherwise);
  }

  private static Computed choice(ComputedTruth condition, Computed then, Computed otherwise)
      throws NotComputed {
    boolean texts = then instanceof ComputedText;
    Computed first = texts ? then : number(then);
    Computed second = texts ? otherwise : number(otherwise);
    String sql =
        "(CASE WHEN %s THEN %s ELSE %s END)".formatted(condition.sql(), first.sql(), second.sql());
    return oneOf(first, second, sql, first.nullable() || second.nullable());
  }

  private static Computed first(List<Computed> arguments) throws NotComputed {
    Computed found = arguments.get(0);
    for (Computed argument : arguments.subList(1, arguments.size())) {
      boolean texts = found instanceof ComputedText;
      Computed before = texts ? found : number(found);
      Computed after = texts ? argument : number(argument);
      found =
          oneOf(
              before,
              after,
              "COALESCE(%s, %s)".formatted(before.sql(), after.sql()),
              before.nullable() && after.nullable());
    }
    return found;
  }

  private static Computed oneOf(Computed first, Computed second, String sql, boolean nullable)
      throws NotComputed {
    if (first instanceof ComputedText one && second instanceof ComputedText other) {
      return one.orElse(other, sql, nullable);
    }
    return number(first).orElse(number(second), sql, nullable);
  }

  private static Computed joined(List<Computed> arguments) throws NotComputed {
    ComputedText joined = text(arguments.get(0));
    for (Computed argument : arguments.subList(1, arguments.size())) {
      joined = joined.followedBy(text(argument));
    }
    return joined;
  }

  private static ComputedText text(Computed part) throws NotComputed {
    if (part instanceof ComputedText text) {
      return text;
    }
    throw new NotComputed("it takes a number for a text");
  }

  private static Computed constant(String printed) throws NotComputed {
    BigDecimal value = new BigDecimal(printed);
    if (value.scale() == 0 && printed.length() > LONGEST_WHOLE) {
      throw new NotComputed("the number %s is too long".formatted(printed));
    }
    return new ComputedNumber(
            printed + "::numeric", ExactNumberRange.ofConstant(value), false, false)
        .required();
  }

  /**
   * A backslash means something or nothing, as the session's sql_mode was, and MySQL's catalog
   * prints characters beyond ASCII as others.
   */
  private static Computed text(Token token) throws NotComputed {
    if (token.printed().contains("\\")) {
      throw new NotComputed("its constant %s has a backslash".formatted(token.printed()));
    }
    String value = token.value();
    if (!value.chars().allMatch(c -> c < ASCII_END)) {
      throw new NotComputed(
          "its constant %s has other characters than ASCII".formatted(token.printed()));
    }
    return new ComputedText(SqlText.of(value) + "::text", value.length(), Set.of(), false);
  }

  private static ComputedNumber number(Computed part) throws NotComputed {
    if (part instanceof ComputedNumber number) {
      return number;
    }
    if (part instanceof ComputedTruth truth) {
      return truth.asNumber();
    }
    throw new NotComputed("it takes a text for a number");
  }

  private static ComputedTruth truth(Computed part) throws NotComputed {
    if (part instanceof ComputedTruth truth) {
      return truth;
    }
    throw new NotComputed("it takes a value for a condition");
  }

  private Token take() throws NotComputed {
    if (next == tokens.size()) {
      throw new NotComputed("its end is not known");
    }
    return tokens.get(next++);
  }

  private boolean takes(String value) {
    if (next < tokens.size()
        && (tokens.get(next).kind() == Kind.WORD || tokens.get(next).kind() == Kind.SIGN)
        && tokens.get(next).value().equals(value)) {
      next++;
      return true;
    }
    return false;
  }

  private void expect(String value) throws NotComputed {
    if (!takes(value)) {
      throw new NotComputed("%s was expected".formatted(value));
    }
  }
}
