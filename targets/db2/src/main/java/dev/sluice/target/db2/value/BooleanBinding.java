package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/** Truth values. */
final class BooleanBinding extends ValueBinding {

  BooleanBinding(TargetColumn column) {
    super(column, Types.BOOLEAN);
  }

  @Override
  void set(PreparedStatement statement, int parameter, String neutral) throws SQLException {
    if (!neutral.equals("t") && !neutral.equals("f")) {
      throw bad(neutral, "t or f");
    }
    statement.setBoolean(parameter, neutral.equals("t"));
  }
}
