package dev.sluice.connector.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.junit.jupiter.api.Test;

/** The forms that Debezium 3.7 gives its placeholder, by the type of the column. */
final class UnchangedValueTest {
  private static final String TEXT = "__debezium_unavailable_value";
  private static final byte[] BYTES = TEXT.getBytes(StandardCharsets.UTF_8);
  private static final Schema TEXTS = SchemaBuilder.array(Schema.STRING_SCHEMA).build();
  private static final Schema NUMBERS = SchemaBuilder.array(Schema.INT64_SCHEMA).build();

  private final UnchangedValue unchanged = new UnchangedValue(TEXT);

  @Test
  void itIsRecognizedInTheFormOfEveryType() {
    assertThat(unchanged.is(Schema.STRING_SCHEMA, TEXT)).as("text, json").isTrue();
    assertThat(unchanged.is(Schema.BYTES_SCHEMA, BYTES.clone())).as("bytea").isTrue();
    assertThat(unchanged.is(Schema.BYTES_SCHEMA, ByteBuffer.wrap(BYTES))).as("bytea").isTrue();
    assertThat(unchanged.is(Schema.STRING_SCHEMA, HexFormat.of().formatHex(BYTES)))
        .as("bytea as hex")
        .isTrue();
    assertThat(unchanged.is(Schema.STRING_SCHEMA, Base64.getEncoder().encodeToString(BYTES)))
        .as("bytea as base64")
        .isTrue();
    assertThat(unchanged.is(TEXTS, List.of(TEXT))).as("text[]").isTrue();
    assertThat(unchanged.is(NUMBERS, numbers())).as("bigint[]").isTrue();
    assertThat(unchanged.is(null, Map.of(TEXT, TEXT))).as("hstore as a map").isTrue();
    assertThat(unchanged.is(TEXTS, List.of(UUID.nameUUIDFromBytes(BYTES).toString())))
        .as("uuid[]")
        .isTrue();
  }

  @Test
  void itMayBeGivenInHexadecimalDigits() {
    UnchangedValue other = new UnchangedValue("hex:c3bfFB");
    byte[] bytes = {(byte) 0xc3, (byte) 0xbf, (byte) 0xfb};
    assertThat(other.is(Schema.BYTES_SCHEMA, bytes)).isTrue();
    assertThat(other.is(Schema.STRING_SCHEMA, new String(bytes, StandardCharsets.UTF_8))).isTrue();
    assertThat(other.is(Schema.STRING_SCHEMA, "w7_7")).as("bytea as base64-url-safe").isTrue();
    assertThat(other.is(NUMBERS, List.of(-61, -65, -5))).as("integer[]").isTrue();
    assertThat(other.is(Schema.STRING_SCHEMA, "hex:c3bfFB")).isFalse();
    assertThatThrownBy(() -> new UnchangedValue("hex:odd"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatOnlyResemblesItIsAValue() {
    assertThat(unchanged.is(Schema.STRING_SCHEMA, TEXT + " ")).isFalse();
    assertThat(unchanged.is(Schema.STRING_SCHEMA, "")).isFalse();
    assertThat(unchanged.is(Schema.BYTES_SCHEMA, new byte[BYTES.length])).isFalse();
    assertThat(unchanged.is(TEXTS, List.of(TEXT, TEXT))).isFalse();
    assertThat(unchanged.is(TEXTS, Arrays.asList((Object) null))).isFalse();
    assertThat(unchanged.is(TEXTS, List.of(List.of(TEXT)))).isFalse();
    List<Object> numbers = numbers();
    numbers.set(5, 0L);
    assertThat(unchanged.is(NUMBERS, numbers)).isFalse();
    Map<String, String> pairs = new HashMap<>(Map.of(TEXT, TEXT));
    pairs.put("a", "b");
    assertThat(unchanged.is(null, pairs)).isFalse();
    assertThat(unchanged.is(Schema.INT64_SCHEMA, 7L)).isFalse();
  }

  @Test
  void aConfiguredPlaceholderIsRecognizedInstead() {
    UnchangedValue other = new UnchangedValue("-");
    assertThat(other.is(Schema.STRING_SCHEMA, "-")).isTrue();
    assertThat(other.is(Schema.STRING_SCHEMA, TEXT)).isFalse();
  }

  /** A number for each character. */
  private static List<Object> numbers() {
    List<Object> numbers = new ArrayList<>();
    TEXT.chars().forEach(character -> numbers.add((long) character));
    return numbers;
  }
}
