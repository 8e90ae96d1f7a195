package dev.sluice.connect.converter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Time;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.storage.Converter;
import org.junit.jupiter.api.Test;

final class BinaryConverterTest {
  private static final Schema STATE =
      SchemaBuilder.string().optional().defaultValue("new").parameter("length", "5").build();
  private static final Schema ROW =
      SchemaBuilder.struct()
          .name("shop.items.Value")
          .version(2)
          .doc("a row")
          .optional()
          .field("tiny", Schema.INT8_SCHEMA)
          .field("small", Schema.INT16_SCHEMA)
          .field("whole", Schema.INT32_SCHEMA)
          .field("big", Schema.INT64_SCHEMA)
          .field("real", Schema.FLOAT32_SCHEMA)
          .field("double", Schema.FLOAT64_SCHEMA)
          .field("yes", Schema.BOOLEAN_SCHEMA)
          .field("words", Schema.OPTIONAL_STRING_SCHEMA)
          .field("raw", Schema.OPTIONAL_BYTES_SCHEMA)
          .field("state", STATE)
          .field("price", Decimal.builder(2).optional().build())
          .field("day", Date.builder().optional().build())
          .field("hour", Time.builder().optional().build())
          .field("at", Timestamp.builder().optional().build())
          .field("tags", SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA).optional().build())
          .field(
              "pairs",
              SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.OPTIONAL_STRING_SCHEMA)
                  .optional()
                  .build())
          .build();

  private final BinaryConverter writer = new BinaryConverter();
  private final BinaryConverter reader = new BinaryConverter();

  @Test
  void everyTypeAndEveryValueComesBackAsItWas() {
    for (Struct row : List.of(edges(), others())) {
      SchemaAndValue back = back(ROW, row);
      assertThat(back.schema()).isEqualTo(ROW);
      assertThat(back.value()).isEqualTo(row);
    }
    assertThat(back(ROW, null).value()).isNull();
    assertThat(back(Schema.INT64_SCHEMA, 7L))
        .isEqualTo(new SchemaAndValue(Schema.INT64_SCHEMA, 7L));
  }

  @Test
  void aNullBesideADefaultStaysNull() {
    Struct back = (Struct) back(ROW, others().put("state", null)).value();
    assertThat(back.getWithoutDefault("state")).isNull();
  }

  @Test
  void bytesOfABufferAreReadAsBytesAndTheBufferIsLeftAsItWas() {
    ByteBuffer buffer = ByteBuffer.wrap(new byte[] {9, 1, 2}, 1, 2);
    assertThat((byte[]) back(Schema.BYTES_SCHEMA, buffer).value()).containsExactly(1, 2);
    assertThat(buffer.remaining()).isEqualTo(2);
  }

  @Test
  void aSchemaIsOneObjectForAllItsRecordsAndAnotherOneIsDistinguished() {
    Schema first = back(ROW, others()).schema();
    assertThat(back(ROW, edges()).schema()).isSameAs(first);
    Schema other = SchemaBuilder.struct().field("tiny", Schema.INT8_SCHEMA).build();
    assertThat(back(other, new Struct(other).put("tiny", (byte) 1)).schema()).isEqualTo(other);
    assertThat(back(ROW, edges()).schema()).isSameAs(first);
  }

  @Test
  void aTombstoneHasNoBytes() {
    assertThat(writer.fromConnectData("items", null, null)).isNull();
    assertThat(reader.toConnectData("items", null)).isEqualTo(SchemaAndValue.NULL);
  }

  @Test
  void aValueThatIsNoneOfItsSchemaIsRefused() {
    assertThatThrownBy(() -> writer.fromConnectData("items", null, Map.of()))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("topic items")
        .hasMessageContaining("without a schema");
    assertThatThrownBy(() -> writer.fromConnectData("items", Schema.STRING_SCHEMA, null))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("a null that string does not allow");
    assertThatThrownBy(() -> writer.fromConnectData("items", Schema.STRING_SCHEMA, 7))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("java.lang.Integer");
  }

  @Test
  void bytesOfAnotherConverterAreNamedWithTheirTopic() {
    byte[] json = "{\"payload\": 1}".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> reader.toConnectData("items", json))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("topic items")
        .hasMessageContaining("the byte 0x7b")
        .hasMessageContaining("the converter that it was written with");
  }

  @Test
  void aRecordThatIsCutOrWhoseSchemaIsDamagedIsRefusedWhereverThatIs() {
    byte[] whole = writer.fromConnectData("items", ROW, edges());
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> new BinaryConverter().toConnectData("items", cut))
          .as("%d of %d bytes", length, whole.length)
          .isInstanceOf(DataException.class)
          .hasMessageContaining("topic items");
    }
    byte[] more = Arrays.copyOf(whole, whole.length + 1);
    assertThatThrownBy(() -> reader.toConnectData("items", more)).isInstanceOf(DataException.class);
    reader.toConnectData("items", whole);
    byte[] flipped = whole.clone();
    flipped[20] ^= 1;
    assertThatThrownBy(() -> reader.toConnectData("items", flipped))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("checksum");
  }

  @Test
  void itIsFoundAsAServiceAndReportsItsRelease() {
    assertThat(ServiceLoader.load(Converter.class))
        .anySatisfy(found -> assertThat(found).isInstanceOf(BinaryConverter.class));
    assertThat(((Versioned) writer).version()).matches("[0-9]+\\.[0-9]+\\.[0-9]+.*");
  }

  private SchemaAndValue back(Schema schema, Object value) {
    return reader.toConnectData("items", writer.fromConnectData("items", schema, value));
  }

  private static Struct edges() {
    Map<String, String> pairs = new HashMap<>();
    pairs.put("a", null);
    pairs.put("", "ü");
    return new Struct(ROW)
        .put("tiny", Byte.MIN_VALUE)
        .put("small", Short.MAX_VALUE)
        .put("whole", Integer.MIN_VALUE)
        .put("big", Long.MIN_VALUE)
        .put("real", Float.NEGATIVE_INFINITY)
        .put("double", Double.NaN)
        .put("yes", true)
        .put("words", "tab\t\0 äöü €")
        .put("raw", new byte[] {0, -1, 127})
        .put("state", "old")
        .put("price", new BigDecimal("-12345678901234567890.12"))
        .put("day", new java.util.Date(-86_400_000L))
        .put("hour", new java.util.Date(86_399_999L))
        .put("at", new java.util.Date(-1))
        .put("tags", Arrays.asList("a", null, ""))
        .put("pairs", pairs);
  }

  /** Nulls, wherever they may be. */
  private static Struct others() {
    return new Struct(ROW)
        .put("tiny", (byte) 1)
        .put("small", (short) -1)
        .put("whole", 0)
        .put("big", Long.MAX_VALUE)
        .put("real", -0.0f)
        .put("double", Double.MIN_VALUE)
        .put("yes", false);
  }
}
