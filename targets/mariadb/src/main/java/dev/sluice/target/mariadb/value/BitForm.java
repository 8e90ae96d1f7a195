package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Bits. They come as digits, or as a boolean for one bit, and are sent as a number.
 *
 * @param width the column's number of bits
 */
record BitForm(TargetColumn column, int width) implements ValueForm {
  private static final Pattern BITS = Pattern.compile("[01]+");

  @Override
  public Slice loaded(Slice neutral) throws SQLException {
    String text = neutral.text();
    if (width == 1 && (neutral.is('t') || neutral.is('f'))) {
      text = neutral.is('t') ? "1" : "0";
    }
    if (text.length() != width || !BITS.matcher(text).matches()) {
      throw BadValue.of(column, neutral, width + " digits of 0 and 1");
    }
    return Slice.of(new BigInteger(text, 2).toString());
  }

  @Override
  public Optional<String> expression(String variable) {
    return Optional.of("CAST(" + variable + " AS UNSIGNED)");
  }

  @Override
  public void bind(PreparedStatement statement, int parameter, Slice neutral) throws SQLException {
    statement.setBigDecimal(parameter, new BigDecimal(loaded(neutral).text()));
  }
}
