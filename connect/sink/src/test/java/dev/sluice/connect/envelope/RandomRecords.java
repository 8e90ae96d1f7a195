package dev.sluice.connect.envelope;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.apache.kafka.connect.data.Date;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;

/**
 * A table of random columns of all types that Debezium has, with random rows, for tests. The first
 * column is the key, if there is one.
 */
final class RandomRecords {
  static final String PLACEHOLDER = "__debezium_unavailable_value";

  private static final String[] TEXTS = {
    "",
    "a",
    "tab\t\"q\" \\ /",
    "äöü €",
    "\uD83D\uDE00",
    "\u0001\u001f",
    "null",
    "{\"b\": [1]}",
    "5f5f646562657a69756d5f756e617661696c61626c655f76616c7565",
    "0001-01-01T00:00:00Z",
    "P1Y",
    "NaN",
    "2024-02-29",
    "10:00:00Z",
    "-12.5e3",
    "00ff"
  };

  private final Random random;
  private final List<Column> columns = new ArrayList<>();
  private final Map<String, String> types = new HashMap<>();
  private final Schema row;
  private final Schema key;

  private record Column(String name, Schema schema, Function<Schema, Object> values) {}

  RandomRecords(Random random, boolean hasKey) {
    this.random = random;
    for (int i = 0; i <= random.nextInt(8); i++) {
      columns.add(column("c" + i, i == 0 && hasKey));
    }
    SchemaBuilder rows = SchemaBuilder.struct().optional().name("shop.items.Value");
    columns.forEach(column -> rows.field(column.name(), column.schema()));
    row = rows.build();
    key =
        hasKey
            ? SchemaBuilder.struct()
                .name("shop.items.Key")
                .field(columns.get(0).name(), columns.get(0).schema())
                .build()
            : null;
  }

  Schema row() {
    return row;
  }

  /** Null if the table has no key. */
  Schema key() {
    return key;
  }

  /** The type of a column on the target. */
  String typeOf(String column) {
    return types.get(column);
  }

  Struct randomRow() {
    Struct struct = new Struct(row);
    for (Column column : columns) {
      boolean isNull = column.schema().isOptional() && random.nextInt(4) == 0;
      struct.put(column.name(), isNull ? null : column.values().apply(column.schema()));
    }
    return struct;
  }

  Struct keyOf(Struct of) {
    String name = columns.get(0).name();
    return new Struct(key).put(name, of.getWithoutDefault(name));
  }

  private Column column(String name, boolean isKey) {
    int kind = random.nextInt(24);
    SchemaBuilder schema = schema(kind);
    Function<Schema, Object> values = built -> value(kind, built);
    if (!isKey && random.nextBoolean()) {
      schema.optional();
    }
    if (random.nextInt(4) == 0 && kind != 20 && kind != 21) {
      schema.defaultValue(values.apply(null));
    }
    String[] ofTarget = {
      "int2",
      "int4",
      "int8",
      "float4",
      "float8",
      "bool",
      "text",
      "bytea",
      "numeric",
      "numeric",
      "date",
      "time",
      "timestamp",
      "timestamp",
      "timestamptz",
      "date",
      "uuid",
      "int4[]",
      "text[]",
      "hstore",
      "numeric",
      "point",
      "interval",
      "money"
    };
    types.put(name, random.nextInt(10) == 0 ? null : ofTarget[kind]);
    return new Column(name, schema.build(), values);
  }

  private static SchemaBuilder schema(int kind) {
    switch (kind) {
      case 0:
        return SchemaBuilder.int16();
      case 1:
        return SchemaBuilder.int32();
      case 2:
        return SchemaBuilder.int64();
      case 3:
        return SchemaBuilder.float32();
      case 4:
        return SchemaBuilder.float64();
      case 5:
        return SchemaBuilder.bool();
      case 7:
        return SchemaBuilder.bytes();
      case 8:
        return Decimal.builder(3);
      case 9:
        return SchemaBuilder.string().doc("a decimal as text");
      case 10:
        return SchemaBuilder.int32().name("io.debezium.time.Date").version(1);
      case 11:
        return SchemaBuilder.int64().name("io.debezium.time.MicroTime");
      case 12:
        return SchemaBuilder.int64().name("io.debezium.time.MicroTimestamp");
      case 13:
        return SchemaBuilder.int64().name("io.debezium.time.Timestamp").parameter("a", "b");
      case 14:
        return SchemaBuilder.string().name("io.debezium.time.ZonedTimestamp");
      case 15:
        return Date.builder();
      case 16:
        return SchemaBuilder.string().name("io.debezium.data.Uuid");
      case 17:
        return SchemaBuilder.array(Schema.OPTIONAL_INT32_SCHEMA);
      case 18:
        return SchemaBuilder.array(SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA).build());
      case 19:
        return SchemaBuilder.map(Schema.STRING_SCHEMA, Schema.OPTIONAL_STRING_SCHEMA);
      case 20:
        return SchemaBuilder.struct()
            .name("io.debezium.data.VariableScaleDecimal")
            .field("scale", Schema.INT32_SCHEMA)
            .field("value", Schema.BYTES_SCHEMA);
      case 21:
        return SchemaBuilder.struct()
            .name("io.debezium.data.geometry.Point")
            .field("x", Schema.FLOAT64_SCHEMA)
            .field("y", Schema.FLOAT64_SCHEMA)
            .field("wkb", Schema.OPTIONAL_BYTES_SCHEMA);
      case 22:
        return SchemaBuilder.int64().name("io.debezium.time.MicroDuration");
      default:
        return SchemaBuilder.string();
    }
  }

  private Object value(int kind, Schema schema) {
    switch (kind) {
      case 0:
        return (short) random.nextInt();
      case 1:
        return random.nextInt(3) == 0 ? Integer.MIN_VALUE : random.nextInt();
      case 2:
        return random.nextInt(3) == 0 ? Long.MIN_VALUE : random.nextLong();
      case 3:
        return (float) (random.nextBoolean() ? random.nextInt(1000) : random.nextGaussian() * 1e30);
      case 4:
        return random.nextBoolean() ? random.nextInt(1000) : random.nextGaussian() * 1e300;
      case 5:
        return random.nextBoolean();
      case 7:
        return random.nextInt(8) == 0 ? PLACEHOLDER.getBytes() : bytes(20);
      case 8:
        return new BigDecimal(new BigInteger(bytes(12)), 3);
      case 10:
        return random.nextInt(4_000_000) - 2_000_000;
      case 11:
        return random.nextInt(10) == 0 ? 86_400_000_000L : (long) (random.nextDouble() * 8.6e10);
      case 12:
        return random.nextInt(8) == 0 ? 9_223_372_036_825_200_000L : random.nextLong() / 1000;
      case 13:
        return random.nextLong() / 1_000_000;
      case 15:
        return new java.util.Date((random.nextInt(40_000) - 20_000) * 86_400_000L);
      case 17:
        return random.nextInt(8) == 0 ? placeholderNumbers() : numbers();
      case 18:
        List<Object> outer = new ArrayList<>();
        for (int i = 0; i < random.nextInt(3); i++) {
          List<Object> inner = new ArrayList<>();
          inner.add(text());
          inner.add(null);
          outer.add(inner);
        }
        return outer;
      case 19:
        Map<String, String> pairs = new HashMap<>();
        for (int i = 0; i < random.nextInt(4); i++) {
          pairs.put("k" + i, random.nextInt(3) == 0 ? null : text());
        }
        return pairs;
      case 20:
        return new Struct(schema).put("scale", random.nextInt(5)).put("value", bytes(9));
      case 21:
        return new Struct(schema).put("x", random.nextGaussian()).put("y", 1.0);
      case 22:
        return random.nextLong();
      default:
        return random.nextInt(8) == 0 ? PLACEHOLDER : text();
    }
  }

  private List<Object> numbers() {
    List<Object> numbers = new ArrayList<>();
    for (int i = 0; i < random.nextInt(4); i++) {
      numbers.add(random.nextInt(3) == 0 ? null : random.nextInt());
    }
    return numbers;
  }

  private static List<Object> placeholderNumbers() {
    List<Object> numbers = new ArrayList<>();
    for (byte each : PLACEHOLDER.getBytes()) {
      numbers.add((int) each);
    }
    return numbers;
  }

  private String text() {
    if (random.nextInt(20) == 0) {
      return TEXTS[2].repeat(2000);
    }
    return TEXTS[random.nextInt(TEXTS.length)];
  }

  private byte[] bytes(int most) {
    byte[] bytes = new byte[1 + random.nextInt(most)];
    random.nextBytes(bytes);
    return bytes;
  }
}
