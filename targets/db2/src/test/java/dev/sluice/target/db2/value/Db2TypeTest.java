package dev.sluice.target.db2.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sink.target.TargetColumn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Db2TypeTest {

  /** Db2 cuts the digits of a fraction that such a column lacks, without an error. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 5})
  void aTimestampOfFewerDigitsThanValuesHaveIsNotWritten(int digits) {
    String stored = Db2Type.stored("TIMESTAMP", 26, digits);
    assertThat(stored).isEqualTo("TIMESTAMP(" + digits + ")");
    assertThat(ValueBinding.of(column(stored))).isEmpty();
  }

  /** Derby says nine. */
  @ParameterizedTest
  @ValueSource(ints = {6, 9, 12})
  void aTimestampOfSixDigitsAndMoreIsWritten(int digits) {
    assertThat(ValueBinding.of(column(Db2Type.stored("TIMESTAMP", 29, digits)))).isPresent();
  }

  @Test
  void aDecimalKeepsItsDigits() {
    assertThat(Db2Type.of(column("DECIMAL(12, 2)"))).isEqualTo(new Db2Type("DECIMAL", 12, 2));
  }

  private static TargetColumn column(String stored) {
    return new TargetColumn(
        "at", 1, stored, false, stored, stored, (char) 0, "=", true, false, false, false, false,
        false);
  }
}
