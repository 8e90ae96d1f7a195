package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;

/** The errors of values that a column does not keep as they are. Stateless. */
final class BadValue {
  private static final int SHOWN = 100;

  private BadValue() {}

  static SQLException of(TargetColumn column, String state, String value, String expected) {
    return new SQLException(
        "column %s of type %s does not take the value '%s': expected %s"
            .formatted(
                column.name(),
                column.type(),
                value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "…",
                expected),
        state);
  }
}
