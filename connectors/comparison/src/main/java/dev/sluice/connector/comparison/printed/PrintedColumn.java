package dev.sluice.connector.comparison.printed;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;

/**
 * How a column is selected and converted to PostgreSQL's text of the value. Immutable.
 *
 * @param expression in the server's SQL
 * @param bytes whether PostgreSQL's type is {@code bytea}
 * @param ofAnyLength whether a value's length must be counted for the size of its row
 * @param key how it is compared with the text of a key
 */
public record PrintedColumn(
    String expression, Print print, boolean bytes, boolean ofAnyLength, KeyText key) {
  public PrintedColumn {
    Objects.requireNonNull(expression, "expression");
    Objects.requireNonNull(print, "print");
    Objects.requireNonNull(key, "key");
  }

  /** Makes PostgreSQL's text of the selected bytes. */
  public interface Print {
    String of(byte[] selected);

    /** The bytes of a selected value; null for NULL. */
    default byte[] selected(ResultSet row, int number) throws SQLException {
      return row.getBytes(number);
    }
  }

  /** The selected bytes of the current row; null for NULL. */
  byte[] selected(ResultSet row, int number) throws SQLException {
    return print.selected(row, number);
  }

  /** PostgreSQL's text; null for NULL. */
  public String text(byte[] selected) {
    return selected == null ? null : print.of(selected);
  }

  /** The selected text. */
  public static String utf8(byte[] selected) {
    return new String(selected, StandardCharsets.UTF_8);
  }

  /**
   * A time or a date with a time, as PostgreSQL prints it: the fraction ends with its last digit.
   */
  public static String withoutZeros(String time) {
    return time.indexOf('.') < 0 ? time : time.replaceFirst("\\.?0+$", "");
  }
}
