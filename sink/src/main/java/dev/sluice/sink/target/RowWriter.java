package dev.sluice.sink.target;

import dev.sluice.connector.api.ValueCursor;
import java.sql.SQLException;

/** Takes rows value by value, in the order of the set's columns. Owned by one thread. */
public interface RowWriter {

  void number(long value) throws SQLException;

  void text(String value) throws SQLException;

  /** Writes the cursor's value; an unchanged value is written as NULL. */
  void value(ValueCursor cursor) throws SQLException;

  void endRow() throws SQLException;
}
