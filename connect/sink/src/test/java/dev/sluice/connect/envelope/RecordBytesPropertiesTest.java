package dev.sluice.connect.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connect.converter.BinaryConverter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.storage.Converter;

/**
 * Whatever event Debezium writes, and however its bytes are damaged: read from its bytes it is what
 * it is behind the converter.
 */
final class RecordBytesPropertiesTest {
  private static final Schema SOURCE =
      SchemaBuilder.struct()
          .name("io.debezium.connector.postgresql.Source")
          .field("version", Schema.STRING_SCHEMA)
          .field("ts_ms", Schema.INT64_SCHEMA)
          .field("snapshot", SchemaBuilder.string().optional().defaultValue("false").build())
          .field("db", Schema.STRING_SCHEMA)
          .field("sequence", Schema.OPTIONAL_STRING_SCHEMA)
          .field("schema", Schema.STRING_SCHEMA)
          .field("table", Schema.STRING_SCHEMA)
          .field("txId", Schema.OPTIONAL_INT64_SCHEMA)
          .field("lsn", Schema.OPTIONAL_INT64_SCHEMA)
          .build();
  private static final Schema TRANSACTION =
      SchemaBuilder.struct()
          .optional()
          .name("event.block")
          .field("id", Schema.STRING_SCHEMA)
          .field("total_order", Schema.INT64_SCHEMA)
          .field("data_collection_order", Schema.INT64_SCHEMA)
          .build();
  private static final Schema BOUNDARY =
      SchemaBuilder.struct()
          .field("status", Schema.STRING_SCHEMA)
          .field("id", Schema.STRING_SCHEMA)
          .field("event_count", Schema.OPTIONAL_INT64_SCHEMA)
          .field(
              "data_collections",
              SchemaBuilder.array(
                      SchemaBuilder.struct()
                          .optional()
                          .field("data_collection", Schema.STRING_SCHEMA)
                          .field("event_count", Schema.INT64_SCHEMA)
                          .build())
                  .optional()
                  .build())
          .field("ts_ms", Schema.INT64_SCHEMA)
          .build();

  private static final String DAMAGE = "\"{}[]:,x0-.e\\\u0000 n\u00c3";

  private final Converter withSchemas = json(true);
  private final Converter withoutSchemas = json(false);
  private final Converter binary = new BinaryConverter();

  private Random random;
  private RandomRecords table;

  /** A record as the source connector hands it to its converters. */
  private record Written(Schema keySchema, Object key, Schema schema, Object value) {}

  @Property(tries = 1500, shrinking = ShrinkingMode.OFF)
  void anEventIsReadFromItsBytesAsBehindItsConverter(@ForAll long seed) {
    begin(seed);
    for (Converter converter : List.of(withSchemas, withoutSchemas, binary)) {
      EnvelopeReader structs = reader();
      EnvelopeReader bytes = reader();
      for (int i = 0; i < 4; i++) {
        Written written = written();
        byte[] key = converter.fromConnectData("t", written.keySchema(), written.key());
        byte[] value = converter.fromConnectData("t", written.schema(), written.value());
        assertThat(read(bytes, key, value))
            .as("%s: %s", converter.getClass().getSimpleName(), shown(value))
            .isEqualTo(converted(structs, converter, key, value));
      }
    }
  }

  @Property(tries = 1500, shrinking = ShrinkingMode.OFF)
  void damagedBytesGiveNothingThatTheConverterWouldNotGive(@ForAll long seed) {
    begin(seed);
    EnvelopeReader structs = reader();
    EnvelopeReader bytes = reader();
    Converter converter = random.nextBoolean() ? withSchemas : withoutSchemas;
    Written written = random.nextInt(6) == 0 ? boundary() : event();
    byte[] key = converter.fromConnectData("t", written.keySchema(), written.key());
    byte[] value = converter.fromConnectData("t", written.schema(), written.value());
    // So that its schema is known.
    read(bytes, key, value);
    for (int i = 0; i < 8; i++) {
      byte[] damaged =
          random.nextInt(3) == 0
              ? Arrays.copyOf(value, 1 + random.nextInt(value.length - 1))
              : withOtherByte(value);
      Object wanted = converted(structs, converter, key, damaged);
      Object found = read(bytes, key, damaged);
      // Only a damage in what no one reads may go unnoticed.
      if (!wanted.equals("unreadable") || damaged.length < value.length) {
        assertThat(found).as(shown(damaged)).isEqualTo(wanted);
      }
    }
  }

  private void begin(long seed) {
    random = new Random(seed);
    table = new RandomRecords(random, random.nextInt(4) > 0);
  }

  private EnvelopeReader reader() {
    return new EnvelopeReader(
        RandomRecords.PLACEHOLDER,
        new PlainValues((id, column) -> table.typeOf(column), "string", "base64"));
  }

  /** The record, or why there is none. */
  private static Object read(EnvelopeReader reader, byte[] key, byte[] value) {
    return read(reader, new SinkRecord("t", 0, null, key, null, value, 42));
  }

  private static Object converted(
      EnvelopeReader reader, Converter converter, byte[] key, byte[] value) {
    try {
      SchemaAndValue readKey = converter.toConnectData("t", key);
      SchemaAndValue read = converter.toConnectData("t", value);
      return read(
          reader,
          new SinkRecord(
              "t", 0, readKey.schema(), readKey.value(), read.schema(), read.value(), 42));
    } catch (DataException e) {
      return "unreadable";
    }
  }

  private static Object read(EnvelopeReader reader, SinkRecord record) {
    try {
      return reader.read(record);
    } catch (SluiceException.Fatal e) {
      return e.getMessage().contains("value.converter that the source")
          ? "unreadable"
          : e.getMessage();
    } catch (RuntimeException e) {
      return e.getClass().getName();
    }
  }

  private Written written() {
    switch (random.nextInt(12)) {
      case 0:
        return new Written(null, null, null, null);
      case 1:
      case 2:
        return boundary();
      default:
        return event();
    }
  }

  private Written event() {
    Schema envelope =
        SchemaBuilder.struct()
            .name("shop.items.Envelope")
            .field("before", table.row())
            .field("after", table.row())
            .field("source", SOURCE)
            .field("transaction", TRANSACTION)
            .field("op", Schema.STRING_SCHEMA)
            .field("ts_ms", Schema.OPTIONAL_INT64_SCHEMA)
            .field("ts_us", Schema.OPTIONAL_INT64_SCHEMA)
            .build();
    String op = List.of("c", "u", "d", "r", "t", "m", "x").get(Math.min(6, random.nextInt(40) / 6));
    Struct before = random.nextBoolean() || op.equals("d") ? table.randomRow() : null;
    Struct after = op.equals("d") ? null : table.randomRow();
    Struct source =
        new Struct(SOURCE)
            .put("version", "3.7")
            .put("ts_ms", 5L)
            .put("snapshot", random.nextBoolean() ? null : op.equals("r") ? "last" : "false")
            .put("db", "shop")
            .put("sequence", random.nextBoolean() ? null : "[\"24023119\",\"24023128\"]")
            .put("schema", "shop")
            .put("table", random.nextBoolean() ? "items" : "others")
            .put("lsn", random.nextLong());
    Struct transaction =
        new Struct(TRANSACTION)
            .put("id", "771:24023128")
            .put("total_order", (long) random.nextInt(9))
            .put("data_collection_order", 1L);
    Struct value =
        new Struct(envelope)
            .put("before", before)
            .put("after", after)
            .put("source", source)
            .put("transaction", random.nextInt(3) == 0 ? null : transaction)
            .put("op", op)
            .put("ts_ms", random.nextBoolean() ? null : 1_700_000_000_000L);
    Struct row = after == null ? before : after;
    return new Written(table.key(), table.key() == null ? null : table.keyOf(row), envelope, value);
  }

  private Written boundary() {
    boolean isEnd = random.nextBoolean();
    Schema counted = BOUNDARY.field("data_collections").schema().valueSchema();
    List<Struct> counts =
        List.of(new Struct(counted).put("data_collection", "shop.items").put("event_count", 3L));
    return new Written(
        null,
        null,
        BOUNDARY,
        new Struct(BOUNDARY)
            .put("status", isEnd ? "END" : "BEGIN")
            .put("id", "771:255")
            .put("ts_ms", 5L)
            .put("event_count", isEnd ? 3L : null)
            .put("data_collections", isEnd ? counts : null));
  }

  private byte[] withOtherByte(byte[] value) {
    byte[] other = value.clone();
    other[random.nextInt(other.length)] = (byte) DAMAGE.charAt(random.nextInt(DAMAGE.length()));
    return other;
  }

  private static String shown(byte[] value) {
    return value == null ? "a tombstone" : new String(value, StandardCharsets.UTF_8);
  }

  private static Converter json(boolean schemas) {
    JsonConverter converter = new JsonConverter();
    converter.configure(
        Map.of("schemas.enable", Boolean.toString(schemas), "replace.null.with.default", "false"),
        false);
    return converter;
  }
}
