package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/** Floating-point numbers. Db2 has no infinity and no NaN. */
final class FloatingBinding extends ValueBinding {
  private final boolean single;

  FloatingBinding(TargetColumn column, boolean single) {
    super(column, single ? Types.REAL : Types.DOUBLE);
    this.single = single;
  }

  @Override
  void set(PreparedStatement statement, int parameter, String neutral) throws SQLException {
    try {
      // Java accepts more formats of numbers than the neutral form has.
      new BigDecimal(neutral);
    } catch (NumberFormatException e) {
      throw bad(neutral, "a finite number");
    }
    double number = single ? Float.parseFloat(neutral) : Double.parseDouble(neutral);
    if (Double.isInfinite(number)) {
      throw bad(neutral, "a number within the type's range");
    }
    if (single) {
      statement.setFloat(parameter, (float) number);
    } else {
      statement.setDouble(parameter, number);
    }
  }
}
