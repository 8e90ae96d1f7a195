package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/** Decimal numbers. The server would cut digits of a fraction without an error. */
final class DecimalBinding extends ValueBinding {
  private final int digits;
  private final int scale;

  DecimalBinding(TargetColumn column, int digits, int scale) {
    super(column, Types.DECIMAL);
    this.digits = digits;
    this.scale = scale;
  }

  @Override
  void set(PreparedStatement statement, int parameter, String neutral) throws SQLException {
    BigDecimal number;
    try {
      number = new BigDecimal(neutral).setScale(scale);
    } catch (ArithmeticException | NumberFormatException e) {
      throw bad(neutral, "a finite number with at most %d digits of a fraction".formatted(scale));
    }
    if (number.precision() > digits) {
      throw bad(
          neutral, "a number with at most %d digits before the point".formatted(digits - scale));
    }
    statement.setBigDecimal(parameter, number);
  }
}
