package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;

/** The errors for values that a column would change. Stateless. */
final class BadValue {
  /** The server's error number for a value in a wrong format. */
  private static final int WRONG_VALUE = 1366;

  private static final int NULL = 1048;
  private static final int TOO_LONG = 1406;

  private BadValue() {}

  static SQLException of(TargetColumn column, Slice value, String expected) {
    return new SQLException(column.doesNotTake(value.text(), expected), "22007", WRONG_VALUE);
  }

  static SQLException tooLong(TargetColumn column, Slice value, String expected) {
    return new SQLException(column.doesNotTake(value.text(), expected), "22001", TOO_LONG);
  }

  /** A NULL, with the error of the server for a column that does not accept it. */
  static SQLException ofNull(TargetColumn column) {
    return new SQLException(
        "column %s of type %s does not take NULL: the server would fill in a value of its own"
            .formatted(column.name(), column.type()),
        "23000",
        NULL);
  }
}
