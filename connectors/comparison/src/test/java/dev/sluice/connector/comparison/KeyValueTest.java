package dev.sluice.connector.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyValueTest {
  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource({
    "int2, 32767",
    "int2, -32768",
    "int4, 2147483647",
    "int8, -9223372036854775808",
    "int4, ' 7 '",
    "int4, +007",
    "int4, 0x1F",
    "int4, 1_000",
    "numeric, -1.50",
    "numeric, 1e-30",
    "numeric, .5",
    "numeric, NaN",
    "numeric, -Infinity",
    "uuid, 123e4567-e89b-12d3-a456-426655440000",
    "uuid, {123E4567E89B12D3A456426655440000}",
    "text, anything"
  })
  void whatTheServerMayReadAsAValueIsPossible(String type, String text) {
    assertThat(KeyValue.isPossible(type, text)).isTrue();
  }

  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource({
    "int2, 32768",
    "int2, -32769",
    "int4, 2147483648",
    "int8, 9223372036854775808",
    "int4, 1.0",
    "int4, NaN",
    "int4, a1",
    "int4, ''",
    "numeric, x",
    "numeric, 1 2",
    "uuid, x",
    "uuid, 123e4567-e89b-12d3-a456-42665544000"
  })
  void whatNoServerReadsAsAValueIsNot(String type, String text) {
    assertThat(KeyValue.isPossible(type, text)).isFalse();
  }
}
