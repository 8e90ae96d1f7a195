package dev.sluice.connect.json;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.connect.fields.FieldValues;
import dev.sluice.connect.fields.ReadFields;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.Test;

final class JsonFieldsTest {
  private static final String SCHEMA =
      "{\"type\":\"struct\",\"optional\":true,\"fields\":["
          + "{\"type\":\"int32\",\"optional\":false,\"field\":\"id\"},"
          + "{\"type\":\"double\",\"optional\":true,\"field\":\"share\"},"
          + "{\"type\":\"string\",\"optional\":true,\"default\":\"new\",\"field\":\"state\"}]}";

  private final JsonFields values = new JsonFields(true);

  @Test
  void aRecordOfAKnownSchemaIsReadWithoutAConverter() {
    FieldValues first = read("{\"id\":1,\"share\":0.5,\"state\":\"a\"}");
    FieldValues second = read("{\"id\":2,\"share\":null,\"state\":null}");
    assertThat(List.of(first, second)).hasOnlyElementsOfType(ReadFields.class);
    assertThat(second.shape()).isSameAs(first.shape());
    assertThat(first.names()).containsExactly("id", "share", "state");
    assertThat(first.value("share")).isEqualTo(0.5);
    assertThat(((ReadFields) second).value(0)).isEqualTo(2);
    assertThat(second.value("state")).as("an explicit NULL beside a default").isNull();
  }

  @Test
  void whatKafkasConverterDoesNotWriteIsReadAsItReadsIt() {
    read("{\"id\":1,\"share\":0.5,\"state\":\"a\"}");
    for (String payload :
        List.of(
            "{\"share\":0.5,\"id\":1,\"state\":\"a\"}",
            "{\"id\":1,\"share\":0.5,\"state\":\"a\",\"more\":[1]}",
            "{\"id\":0,\"id\":1,\"share\":0.5,\"state\":\"a\"}",
            "{\"id\":4294967297,\"share\":0.5,\"state\":\"a\"}")) {
      FieldValues found = read(payload);
      assertThat(found.value("id")).as(payload).isEqualTo(1);
      assertThat(found.value("state")).as(payload).isEqualTo("a");
    }
    assertThat(read("{\"id\":1}").value("state")).isNull();
    byte[] wide = new String(record("{\"id\":1}"), StandardCharsets.UTF_8).getBytes(UTF_16BE);
    assertThat(values.read("t", wide).orElseThrow().value("id")).isEqualTo(1);
    FieldValues turned =
        values.read("t", bytes("{\"payload\":{\"id\":7},\"schema\":" + SCHEMA + "}")).orElseThrow();
    assertThat(turned.names()).as("no record that the converter wrote").contains("payload");
  }

  @Test
  void spacesBetweenThePartsChangeNothing() {
    String payload = "{ \"id\" : 1 , \"share\" : 0.5 , \"state\" : \"a\" }";
    String spaced = "{ \"schema\" : " + SCHEMA + " ,\n \"payload\" : " + payload + " }";
    assertThat(values.read("t", bytes(spaced)).orElseThrow().value("id")).isEqualTo(1);
    assertThat(values.read("t", bytes(spaced + "\n")).orElseThrow().value("id")).isEqualTo(1);
    assertThat(read(payload).value("id")).isEqualTo(1);
    assertThat(read("  " + payload).value("id")).isEqualTo(1);
  }

  @Test
  void aTextThatIsTooLargeForKafkasConverterIsRead() {
    String text = "x".repeat(21_000_000);
    assertThat(read("{\"id\":1,\"share\":null,\"state\":\"" + text + "\"}").value("state"))
        .isEqualTo(text);
  }

  @Test
  void aNullIsNoObject() {
    assertThat(values.read("t", record("null"))).isEmpty();
    assertThat(values.read("t", bytes("null"))).isEmpty();
  }

  @Test
  void aNumberThatIsNoneIsReadAsWhatItIs() {
    assertThat(read("{\"id\":1,\"share\":\"NaN\",\"state\":null}").value("share"))
        .isEqualTo(Double.NaN);
    assertThat(read("{\"id\":1,\"share\":\"-Infinity\",\"state\":null}").value("share"))
        .isEqualTo(Double.NEGATIVE_INFINITY);
  }

  @Test
  void whatNobodyCanReadIsRefused() {
    read("{\"id\":1,\"share\":0.5,\"state\":\"a\"}");
    for (String payload : List.of("{\"id\":null,\"share\":0.5,\"state\":\"a\"}", "{\"id\":1,")) {
      assertThatExceptionOfType(DataException.class).as(payload).isThrownBy(() -> read(payload));
    }
    for (String text :
        List.of("", " \n", "x", "17", "\"text\"", "\u0000\u0001", "{\"schema\":{}}")) {
      assertThatExceptionOfType(DataException.class)
          .as(text)
          .isThrownBy(() -> values.read("t", bytes(text)));
    }
  }

  @Test
  void objectsWithTheSameNamesHaveOneShapeAlsoWithoutSchemas() {
    FieldValues one = values.read("t", bytes("{\"b\":1,\"a\":\"x\"}")).orElseThrow();
    FieldValues other = values.read("t", bytes("{\"b\":2,\"a\":\"y\"}")).orElseThrow();
    assertThat(other.shape()).isSameAs(one.shape());
    assertThat(one.hasSchemas()).isFalse();
    assertThat(one.names()).containsExactly("a", "b");
    assertThat(((ReadFields) one).value(0)).isEqualTo("x");
    assertThat(other.value("b")).isEqualTo(2L);
  }

  private FieldValues read(String payload) {
    return values.read("t", record(payload)).orElseThrow();
  }

  private static byte[] record(String payload) {
    return bytes("{\"schema\":" + SCHEMA + ",\"payload\":" + payload + "}");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
