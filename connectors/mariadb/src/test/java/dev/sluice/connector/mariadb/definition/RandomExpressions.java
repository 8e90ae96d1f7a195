package dev.sluice.connector.mariadb.definition;

import java.util.List;
import java.util.Random;

/** Expressions of generated columns, most of which both servers compute alike. */
final class RandomExpressions {
  private static final List<String> NUMBERS =
      List.of(
          "tiny", "small", "medium", "plain", "money", "rate", "needed", "tiny", "small", "medium",
          "money", "rate", "needed", "big");

  private static final List<String> TYPES =
      List.of(
          "tinyint",
          "tinyint unsigned",
          "smallint",
          "int",
          "int unsigned",
          "bigint",
          "bigint unsigned",
          "decimal(5,1)",
          "decimal(12,2)",
          "decimal(9,4) unsigned",
          "decimal(30,10)",
          "decimal(6,0)");

  private final Random random;

  RandomExpressions(Random random) {
    this.random = random;
  }

  /** A type and an expression. */
  String column() {
    if (random.nextInt(4) == 0) {
      String type =
          pick(
              List.of(
                  "varchar(200)",
                  "varchar(200) CHARACTER SET latin1",
                  "varchar(60) CHARACTER SET utf8mb4",
                  "varchar(8)"));
      return type + " AS (" + text(2) + ")";
    }
    return pick(TYPES) + " AS (" + number(3) + ")";
  }

  private String number(int depth) {
    if (depth == 0 || random.nextInt(5) == 0) {
      return random.nextInt(4) == 0
          ? pick(List.of("0", "1", "2", "100", "0.19", "1.005", "-3", "2.5", "1000000"))
          : pick(NUMBERS);
    }
    String left = number(depth - 1);
    String right = number(depth - 1);
    return switch (random.nextInt(11)) {
      case 0, 1 -> "(" + left + " + " + right + ")";
      case 2, 3 -> "(" + left + " - " + right + ")";
      case 4, 5 -> left + " * " + right;
      case 6 -> "ifnull(" + left + ", " + right + ")";
      case 7 -> "coalesce(" + left + ", " + right + ", 7)";
      case 8 -> "if(" + condition(depth - 1) + ", " + left + ", " + right + ")";
      case 9 ->
          "case when %s then %s when %s then %s else %s end"
              .formatted(condition(depth - 1), left, condition(depth - 1), right, pick(NUMBERS));
      default -> random.nextBoolean() ? "(" + condition(depth - 1) + ")" : "-" + left;
    };
  }

  private String condition(int depth) {
    if (depth > 0 && random.nextInt(3) == 0) {
      return switch (random.nextInt(3)) {
        case 0 -> "(" + condition(depth - 1) + " and " + condition(depth - 1) + ")";
        case 1 -> "(" + condition(depth - 1) + " or " + condition(depth - 1) + ")";
        default -> "not (" + condition(depth - 1) + ")";
      };
    }
    return switch (random.nextInt(5)) {
      case 0 -> pick(NUMBERS) + " is null";
      case 1 -> "name is not null";
      default ->
          number(Math.max(0, depth - 1))
              + pick(List.of(" = ", " <> ", " < ", " <= ", " > ", " >= "))
              + number(Math.max(0, depth - 1));
    };
  }

  private String text(int depth) {
    if (depth == 0) {
      return pick(List.of("name", "city", "code", "'-'", "' '", "'it''s'", "'Ä€'"));
    }
    return switch (random.nextInt(5)) {
      case 0 -> "ifnull(" + text(depth - 1) + ", " + text(depth - 1) + ")";
      case 1 -> "if(%s, %s, %s)".formatted(condition(1), text(depth - 1), text(depth - 1));
      default -> "concat(" + text(depth - 1) + ", " + text(depth - 1) + ", " + text(0) + ")";
    };
  }

  private String pick(List<String> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
