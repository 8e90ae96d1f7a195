package dev.sluice.target.db2.comparison;

import dev.sluice.connector.comparison.printed.PrintedColumn;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.UnaryOperator;

/**
 * A value that the driver returns as text, since it does not return a text's bytes. Immutable.
 *
 * @param print converts it to PostgreSQL's text
 */
record ReadText(UnaryOperator<String> print) implements PrintedColumn.Print {

  @Override
  public byte[] selected(ResultSet row, int number) throws SQLException {
    String text = row.getString(number);
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String of(byte[] selected) {
    return print.apply(PrintedColumn.utf8(selected));
  }
}
