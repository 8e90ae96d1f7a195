package dev.sluice.connector.mariadb.definition;

import java.math.BigDecimal;

/**
 * An exact number. PostgreSQL computes it as numeric, so nothing overflows there. Immutable.
 *
 * @param unsigned whether MariaDB may treat it as unsigned, so that a result below zero is an error
 */
record ComputedNumber(String sql, ExactNumberRange range, boolean unsigned, boolean nullable)
    implements Computed {

  ComputedNumber plus(ComputedNumber other) throws NotComputed {
    return with(other, "+", range.plus(other.range));
  }

  ComputedNumber minus(ComputedNumber other) throws NotComputed {
    return with(other, "-", range.plus(other.range.negated()));
  }

  ComputedNumber times(ComputedNumber other) throws NotComputed {
    return with(other, "*", range.times(other.range));
  }

  ComputedNumber negated() throws NotComputed {
    return new ComputedNumber("(- %s)".formatted(sql), range.negated(), unsigned, nullable)
        .required();
  }

  ComputedTruth compared(String operator, ComputedNumber other) {
    return new ComputedTruth(
        "(%s %s %s)".formatted(sql, operator, other.sql), nullable || other.nullable);
  }

  /** A number that is either of the two. */
  ComputedNumber orElse(ComputedNumber other, String choice, boolean mayBeNull) throws NotComputed {
    return new ComputedNumber(choice, range.or(other.range), unsigned || other.unsigned, mayBeNull)
        .required();
  }

  private ComputedNumber with(ComputedNumber other, String operator, ExactNumberRange result)
      throws NotComputed {
    return new ComputedNumber(
            "(%s %s %s)".formatted(sql, operator, other.sql),
            result,
            unsigned || other.unsigned,
            nullable || other.nullable)
        .required();
  }

  /**
   * The same number.
   *
   * @throws NotComputed if the source may fail instead, or lose digits
   */
  ComputedNumber required() throws NotComputed {
    if (unsigned && range.isBelowZero()) {
      throw new NotComputed("a part of it may be below zero, and is unsigned");
    }
    if (!range.isExact()) {
      throw new NotComputed(
          "a part of it may be too large for " + (range.scale() == 0 ? "BIGINT" : "DECIMAL"));
    }
    return this;
  }

  /**
   * As the source stores it: rounded, and, if out of range, replaced by the nearest number in
   * range; only a strict session makes that an error.
   *
   * @param type of PostgreSQL
   * @param stored the range of the source's type
   */
  String storedAs(String type, ExactNumberRange stored) {
    String value =
        stored.contains(range)
            ? sql
            : "CASE WHEN %1$s < %2$s THEN %2$s WHEN %1$s > %3$s THEN %3$s ELSE %1$s END"
                .formatted(sql, constant(stored.least()), constant(stored.most()));
    return "(%s)::%s".formatted(value, type);
  }

  private static String constant(BigDecimal number) {
    return "(%s)::numeric".formatted(number.toPlainString());
  }
}
