package dev.sluice.connect.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Row;
import java.util.List;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values with schemas that do not tell what a setting of the source connector made of them. */
final class OpenFormsTest {
  private static final Schema SOURCE =
      SchemaBuilder.struct()
          .field("schema", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .build();
  private static final Schema JSON = SchemaBuilder.string().name("io.debezium.data.Json").build();

  @ParameterizedTest
  @CsvSource({
    "hex, 00ff10",
    "base64, AP8Q",
    "base64-url-safe, AP8Q",
  })
  void bytesThatCameAsATextAreTheBytesTheyWere(String mode, String text) {
    assertThat(read("bytea", mode, Schema.STRING_SCHEMA, text)).isEqualTo("\\x00ff10");
    Schema array = SchemaBuilder.array(Schema.STRING_SCHEMA).build();
    assertThat(read("bytea[]", mode, array, List.of(text, text)))
        .isEqualTo("{\"\\\\x00ff10\",\"\\\\x00ff10\"}");
  }

  @ParameterizedTest
  @CsvSource({"'', 00ff10", "bytes, AP8Q", "hex, AP8Q"})
  void aStringForBytesIsRejectedIfItsFormIsNotGiven(String mode, String text) {
    assertThatThrownBy(() -> read("bytea", mode, Schema.STRING_SCHEMA, text))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("column shop.items.c")
        .hasMessageContaining("binary.handling.mode");
  }

  @ParameterizedTest
  @CsvSource({"numeric", "money", "numeric[]"})
  void aDoubleForADecimalHasLostDigits(String type) {
    boolean isArray = type.endsWith("]");
    Schema schema =
        isArray ? SchemaBuilder.array(Schema.FLOAT64_SCHEMA).build() : Schema.FLOAT64_SCHEMA;
    assertThatThrownBy(() -> read(type, "", schema, isArray ? List.of(0.1) : (Object) 0.1))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("column shop.items.c")
        .hasMessageContaining("decimal.handling.mode=precise or string");
  }

  @Test
  void jsonIsNoHstore() {
    assertThatThrownBy(() -> read("hstore", "", JSON, "{}"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("hstore.handling.mode=map");
    assertThat(read("jsonb", "", JSON, "{}")).isEqualTo("{}");
  }

  @Test
  void valuesAreReadByTheirSchemaIfItIsSufficient() {
    assertThat(read("text", "hex", Schema.STRING_SCHEMA, "00ff10")).isEqualTo("00ff10");
    assertThat(read("float8", "", Schema.FLOAT64_SCHEMA, 0.1)).isEqualTo("0.1");
    assertThat(read("bytea", "hex", Schema.BYTES_SCHEMA, new byte[] {0, 1})).isEqualTo("\\x0001");
    assertThat(read(null, "", Schema.STRING_SCHEMA, "a")).as("not on the target").isEqualTo("a");
  }

  private static String read(String type, String binaries, Schema schema, Object value) {
    EnvelopeReader reader =
        new EnvelopeReader("-", new PlainValues((table, column) -> type, "", binaries));
    Schema row = SchemaBuilder.struct().optional().field("c", schema).build();
    Schema envelope =
        SchemaBuilder.struct()
            .field("after", row)
            .field("source", SOURCE)
            .field("op", Schema.STRING_SCHEMA)
            .build();
    Struct event =
        new Struct(envelope)
            .put("op", "c")
            .put("after", new Struct(row).put("c", value))
            .put("source", new Struct(SOURCE).put("schema", "shop").put("table", "items"));
    Row read =
        ((DebeziumRecord.RowEvent)
                reader.read(new SinkRecord("items", 0, null, null, envelope, event, 0)))
            .row();
    return read.text(0);
  }
}
