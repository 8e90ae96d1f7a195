package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/** Whole numbers, and booleans as 1 and 0. */
final class WholeBinding extends ValueBinding {
  private final long least;
  private final long greatest;

  WholeBinding(TargetColumn column, long least, long greatest) {
    super(column, Types.BIGINT);
    this.least = least;
    this.greatest = greatest;
  }

  @Override
  void set(PreparedStatement statement, int parameter, String neutral) throws SQLException {
    long number = numberOf(neutral);
    if (number < least || number > greatest) {
      throw bad(neutral, "a number from %d to %d".formatted(least, greatest));
    }
    statement.setLong(parameter, number);
  }

  private long numberOf(String neutral) throws SQLException {
    if (neutral.equals("t") || neutral.equals("f")) {
      return neutral.equals("t") ? 1 : 0;
    }
    try {
      return Long.parseLong(neutral);
    } catch (NumberFormatException e) {
      throw bad(neutral, "a whole number, or t or f");
    }
  }
}
