package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Numbers, and booleans in columns of whole numbers.
 *
 * @param scale digits of a decimal's fraction, to which the server would round
 */
record NumberForm(TargetColumn column, Kind kind, int scale) implements ValueForm {
  private static final Slice TRUE = Slice.of("1");
  private static final Slice FALSE = Slice.of("0");

  enum Kind {
    WHOLE("a whole number, or t or f"),
    DECIMAL("a finite number with no more digits than its fraction has"),
    FLOATING("a finite number");

    private final String expected;

    Kind(String expected) {
      this.expected = expected;
    }
  }

  @Override
  public Slice loaded(Slice neutral) throws SQLException {
    if (kind == Kind.WHOLE) {
      if (neutral.is('t')) {
        return TRUE;
      }
      if (neutral.is('f')) {
        return FALSE;
      }
    }
    boolean fits =
        switch (kind) {
          case WHOLE -> fractionOf(neutral) == 0 && isPlain(neutral);
          case DECIMAL -> fractionOf(neutral) >= 0 && fractionOf(neutral) <= scale;
          case FLOATING -> isFinite(neutral.text());
        };
    if (!fits) {
      throw BadValue.of(column, neutral, kind.expected);
    }
    return neutral;
  }

  @Override
  public void bind(PreparedStatement statement, int parameter, Slice neutral) throws SQLException {
    String text = loaded(neutral).text();
    if (kind == Kind.FLOATING) {
      statement.setString(parameter, text);
    } else {
      // So it is compared as a number, whatever the server does with texts.
      statement.setBigDecimal(parameter, new BigDecimal(text));
    }
  }

  /** Whether it has no decimal point. */
  private static boolean isPlain(Slice number) {
    for (int at = 0; at < number.length(); at++) {
      if (number.at(at) == '.') {
        return false;
      }
    }
    return true;
  }

  /** The digits of the fraction up to the last that is not 0; -1 if it is no plain number. */
  private static int fractionOf(Slice number) {
    int at = number.length() > 0 && number.at(0) == '-' ? 1 : 0;
    int point = -1;
    int last = -1;
    int digits = 0;
    for (; at < number.length(); at++) {
      byte b = number.at(at);
      if (b == '.' && point < 0) {
        point = at;
      } else if (b >= '0' && b <= '9') {
        digits++;
        if (b != '0') {
          last = at;
        }
      } else {
        return -1;
      }
    }
    if (digits == 0) {
      return -1;
    }
    return point < 0 || last < point ? 0 : last - point;
  }

  private static boolean isFinite(String text) {
    try {
      return !new BigDecimal(text).toString().isEmpty();
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
