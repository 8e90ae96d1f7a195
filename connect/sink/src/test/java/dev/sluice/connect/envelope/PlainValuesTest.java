package dev.sluice.connect.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PlainValuesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text         | 1234                       | 1234",
        "uuid         | a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 |"
            + " a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "enum         | new                        | new",
        "date         | 2024-02-29Z                | 2024-02-29",
        "time         | 23:59:59.999999Z           | 23:59:59.999999",
        "timestamp    | 2024-02-29T12:34:56.123456Z | 2024-02-29T12:34:56.123456",
        "timestamptz  | 2024-02-29T12:34:56.1Z     | 2024-02-29T12:34:56.1Z",
        "timetz       | 10:00:00Z                  | 10:00:00Z",
        "interval     | P1Y2M3DT4H5M6.000007S      | P1Y2M3DT4H5M6.000007S",
        "numeric      | 12345678901234567890.50    | 12345678901234567890.50",
        "numeric      | NaN                        | NaN",
        "float8       | NaN                        | NaN",
        "bytea        | AP8Q                       | \\x00ff10",
      })
  void aTextIsWhatTheTargetsTypeSays(String type, String value, String text) {
    assertThat(of(type, value)).isEqualTo(text);
  }

  @Test
  void numbersAndTruthValuesAreTheirs() {
    assertThat(of("int8", 9_223_372_036_854_775_807L)).isEqualTo("9223372036854775807");
    assertThat(of("float4", 1.1)).isEqualTo("1.1");
    assertThat(of("bool", true)).isEqualTo("true");
    assertThat(of("bit", true)).isEqualTo("1");
    assertThat(of("numeric", Map.of("scale", 2L, "value", "BNI="))).isEqualTo("12.34");
    assertThat(of("hstore", Map.of("a", "b"))).isEqualTo("\"a\"=>\"b\"");
    assertThat(of("point", Map.of("x", 1.5, "y", -2.0))).isEqualTo("(1.5,-2.0)");
    assertThat(of("int4[]", Arrays.asList(1L, null, -3L))).isEqualTo("{\"1\",NULL,\"-3\"}");
    assertThat(of("text[]", List.of("a\"b", List.of()))).startsWith("{\"a\\\"b\",");
  }

  @ParameterizedTest
  @CsvSource({
    "date, time.precision.mode=isostring",
    "timestamp, time.precision.mode=isostring",
    "timestamptz, time.precision.mode=isostring",
    "interval, interval.handling.mode=string",
    "numeric, decimal.handling.mode=string",
    "text, value.converter.schemas.enable=true",
    "bytea, binary.handling.mode=bytes",
    "geometry, value.converter.schemas.enable=true",
  })
  void anAmbiguousNumberIsRejectedWithItsFix(String type, String fix) {
    assertThatThrownBy(() -> of(type, 19_782L))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("column shop.items.c")
        .hasMessageContaining(fix);
  }

  @Test
  void aStringThatMayBeBase64IsRejectedUnlessTheSourcesModeIsGiven() {
    PlainValues untold =
        new PlainValues(
            (table, column) -> Map.of("c", "numeric", "b", "bytea").get(column), "", "");
    assertThatThrownBy(() -> untold.of("numeric", "1234", "shop.items.c"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("decimal.handling.mode=string on the source connector and on this");
    assertThatThrownBy(() -> untold.of("bytea", "1234", "shop.items.b"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("binary.handling.mode=bytes on the source connector and on this");
    assertThatThrownBy(() -> of("numeric", "BNI=")).isInstanceOf(SluiceException.Fatal.class);
    assertThatThrownBy(() -> of("numeric", 12.5)).isInstanceOf(SluiceException.Fatal.class);
    assertThatThrownBy(() -> of("bit", "AQ==")).isInstanceOf(SluiceException.Fatal.class);
    assertThatThrownBy(() -> of("date", "yesterday")).isInstanceOf(SluiceException.Fatal.class);
    PlainValues hex = new PlainValues((table, column) -> "bytea", "", "hex");
    assertThat(hex.of("bytea", "00ff", "shop.items.b")).isEqualTo("\\x00ff");
    assertThatThrownBy(() -> hex.of("bytea", "AP8Q", "shop.items.b"))
        .isInstanceOf(SluiceException.Fatal.class);
  }

  private static String of(String type, Object value) {
    return new PlainValues((table, column) -> type, "string", "bytes")
        .of(type, value, "shop.items.c");
  }
}
