package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;
import java.util.regex.Pattern;

/** Years with four digits: the server would take one or two digits for a year from 1970 to 2069. */
record YearForm(TargetColumn column) implements ValueForm {
  private static final Pattern YEAR = Pattern.compile("0|19\\d\\d|2[01]\\d\\d");

  @Override
  public Slice loaded(Slice neutral) throws SQLException {
    if (!YEAR.matcher(neutral.text()).matches()) {
      throw BadValue.of(column, neutral, "0, or a year of 1901 to 2155");
    }
    return neutral.is('0') ? Slice.of("0000") : neutral;
  }
}
