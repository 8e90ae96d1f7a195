package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.config.mappings.RowFilter.Condition;
import dev.sluice.config.mappings.RowFilter.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A column of any type by which rows can be filtered, with values at which comparisons may differ.
 *
 * @param type as a statement declares it
 * @param values that the column takes
 * @param constants of a filter beside these
 */
record RandomFilter(String type, List<String> values, List<String> constants) {
  private static final List<String> NUMBERS =
      List.of(
          "0",
          "-1",
          "1.5",
          "-0.0",
          "2",
          "0002",
          "2.00",
          "127",
          "-128",
          "255",
          "65535",
          "4294967295",
          "9007199254740993",
          "9007199254740992",
          "9223372036854775807",
          "-9223372036854775808",
          "18446744073709551615",
          "99999999999999999999999",
          "-99999999999999999999999.000000001");

  private static final List<String> MOMENTS =
      List.of(
          "2020-02-29",
          "2020-02-29 00:00:00",
          "2020-02-29 23:59:59.5",
          "2020-02-29 23:59:59.999999",
          "2020-02-29 23:59:59.500001",
          "1970-01-02 00:00:00",
          "0001-01-01",
          "9999-12-31 23:59:59.9");

  private static final List<String> TEXTS =
      List.of(
          "", "a", "A", "a ", " a", "ä", "a\u0308", "ß", "ss", "\\", "'", "a'b\\c", "a\n", "%", "_",
          "1", "1.0", "😀", "\"");

  private static final List<String> LATIN =
      List.of("", "a", "A", "a ", " a", "ä", "ß", "ss", "\\", "'", "a\n", "%", "_", "1", "1.0");

  /** All kinds. */
  static List<RandomFilter> kinds(boolean mysql) {
    String withoutPadding = mysql ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
    return List.of(
        number("TINYINT", "0", "-1", "1", "2", "127", "-128"),
        number("SMALLINT UNSIGNED", "0", "1", "2", "127", "255", "65535"),
        number("MEDIUMINT", "0", "-1", "2", "255", "8388607"),
        number("INT", "0", "-1", "2", "127", "2147483647", "-2147483648"),
        number("INT UNSIGNED ZEROFILL", "0", "2", "4294967295"),
        number(
            "BIGINT",
            "0",
            "-1",
            "2",
            "9007199254740993",
            "9007199254740992",
            "9223372036854775807",
            "-9223372036854775808"),
        number(
            "BIGINT UNSIGNED",
            "0",
            "2",
            "9007199254740993",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615"),
        number("DECIMAL(10,2)", "0", "-1", "1.50", "2", "127.01", "-0.01"),
        number(
            "DECIMAL(38,9)",
            "0",
            "1.5",
            "2.000000001",
            "9007199254740993",
            "-99999999999999999999999.000000001",
            "99999999999999999999999"),
        new RandomFilter(
            "DATE",
            List.of("2020-02-29", "2020-02-28", "0001-01-01", "9999-12-31", "1970-01-01"),
            List.of("2020-03-01")),
        moment(
            "DATETIME",
            "2020-02-29 00:00:00",
            "2020-02-29 23:59:59",
            "1970-01-02 00:00:00",
            "9999-12-31 23:59:59",
            "0001-01-01 00:00:00"),
        moment(
            "DATETIME(6)",
            "2020-02-29 00:00:00",
            "2020-02-29 23:59:59.5",
            "2020-02-29 23:59:59.500001",
            "2020-02-29 23:59:59.999999",
            "9999-12-31 23:59:59.9"),
        moment(
            "TIMESTAMP(3) NULL",
            "2020-02-29 00:00:00",
            "2020-02-29 23:59:59.5",
            "1970-01-02 00:00:00",
            "2037-12-31 23:59:59.999"),
        moment("TIMESTAMP NULL", "2020-02-29 00:00:00", "2020-02-29 23:59:59"),
        new RandomFilter("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", TEXTS, TEXTS),
        new RandomFilter(
            "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE " + withoutPadding, TEXTS, TEXTS),
        new RandomFilter("TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", TEXTS, TEXTS),
        new RandomFilter("CHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", TEXTS, TEXTS),
        new RandomFilter("VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin", LATIN, TEXTS),
        new RandomFilter("VARCHAR(20) CHARACTER SET ucs2 COLLATE ucs2_bin", LATIN, TEXTS),
        new RandomFilter(
            "ENUM('a','A','ä','1') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            List.of("a", "A", "ä", "1"),
            TEXTS));
  }

  private static RandomFilter number(String type, String... values) {
    return new RandomFilter(type, List.of(values), NUMBERS);
  }

  private static RandomFilter moment(String type, String... values) {
    return new RandomFilter(type, List.of(values), MOMENTS);
  }

  /** A value, or null. */
  String value(Random random) {
    return random.nextInt(6) == 0 ? null : any(values, random);
  }

  private String constant(Random random) {
    return any(random.nextBoolean() ? values : constants, random);
  }

  private static <T> T any(List<T> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }

  private boolean isOfTexts() {
    return type.contains(" CHARACTER SET ");
  }

  private Condition condition(Operator operator, Random random) {
    return new Condition(
        operator, Stream.generate(() -> constant(random)).limit(operator.operands()).toList());
  }

  private ColumnFilter filter(String column, Random random) {
    List<Operator> positive =
        isOfTexts()
            ? List.of(Operator.EQ, Operator.EQ, Operator.NULL, Operator.NOTNULL)
            : List.of(
                Operator.EQ,
                Operator.GTE,
                Operator.LTE,
                Operator.BETWEEN,
                Operator.NULL,
                Operator.NOTNULL);
    List<Operator> negative =
        isOfTexts() ? List.of(Operator.NOTEQ) : List.of(Operator.NOTEQ, Operator.NOTBETWEEN);
    List<Condition> conditions = new ArrayList<>();
    if (random.nextInt(3) == 0) {
      conditions.add(condition(any(negative, random), random));
    } else {
      for (int i = 0; i <= random.nextInt(3); i++) {
        conditions.add(condition(any(positive, random), random));
      }
    }
    return new ColumnFilter(column, conditions);
  }

  /** A filter by some of the columns {@code v0}, {@code v1} and so on. */
  static RowFilter of(List<RandomFilter> kinds, int first, Random random) {
    List<ColumnFilter> columns = new ArrayList<>();
    columns.add(kinds.get(first).filter("v" + first, random));
    while (random.nextInt(4) == 0) {
      int other = random.nextInt(kinds.size());
      columns.add(kinds.get(other).filter("v" + other, random));
    }
    return new RowFilter("1", columns);
  }
}
