package dev.sluice.connect.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.envelope.DebeziumText;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares with a server, which reads a value in Debezium's form and prints it. */
final class PrintedFormsTest {
  private static final int VALUES = 500;
  private static final long MICROS_OF_DAY = 86_400_000_000L;

  private static EmbeddedPostgres postgres;
  private static Connection session;

  private final Random random = new Random(11);

  @BeforeAll
  static void start() throws SQLException {
    postgres = EmbeddedPostgres.start();
    session = postgres.connect();
    try (Statement statement = session.createStatement()) {
      statement.execute(
          "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'");
    }
  }

  @AfterAll
  static void stop() throws SQLException {
    session.close();
    postgres.close();
  }

  @Test
  void intervalsArePrintedAsTheServerDoes() throws SQLException {
    Schema schema = SchemaBuilder.string().name("io.debezium.time.Interval").build();
    assertPrinted(schema, "interval", this::interval);
    assertPrinted(schema, "interval", () -> "P0Y0M0DT0H0M0S");
    assertPrinted(schema, "interval", () -> "P-1Y-2M3DT-4H-5M-6.78S");
  }

  /** Debezium cuts a double's digits: the source has 00:00:01.083287 in the first one. */
  @Test
  void secondsWithNineDigitsAreRoundedToMicroseconds() {
    Schema schema = SchemaBuilder.string().name("io.debezium.time.Interval").build();
    Map<String, String> printed =
        Map.of(
            "P0Y0M0DT0H0M1.083286999S", "00:00:01.083287",
            "P0Y0M0DT0H0M-1.083286999S", "-00:00:01.083287",
            "P0Y0M0DT0H59M59.999999999S", "01:00:00",
            "P0Y0M1DT0H0M-59.9999995S", "1 day -00:01:00",
            "P0Y0M0DT0H0M0.000000499S", "00:00:00",
            "P0Y0M0DT0H0M2.000000001S", "00:00:02");
    printed.forEach(
        (iso, text) ->
            assertThat(PrintedForms.of(schema, "text", "c").apply(iso)).as(iso).isEqualTo(text));
  }

  private String interval() {
    return "P%dY%dM%dDT%dH%dM%sS"
        .formatted(some(20), some(30), some(50), some(60), some(60), some(60) + fraction());
  }

  /** Zero at times, and of both signs. */
  private int some(int bound) {
    return random.nextInt(3) == 0 ? 0 : random.nextInt(2 * bound) - bound;
  }

  private String fraction() {
    return random.nextBoolean() ? "" : ".%06d".formatted(random.nextInt(1_000_000));
  }

  @Test
  void timesArePrintedAsTheServerDoes() throws SQLException {
    Schema micros = SchemaBuilder.int64().name("io.debezium.time.MicroTime").build();
    assertPrinted(micros, "time", this::timeOfDay);
    Schema millis = SchemaBuilder.int32().name("io.debezium.time.Time").build();
    assertPrinted(millis, "time", () -> (int) (timeOfDay() / 1_000));
    Schema zoned = SchemaBuilder.string().name("io.debezium.time.ZonedTime").build();
    assertPrinted(zoned, "timetz", () -> clock() + pick("Z", "+02:00", "-05:30"));
    Schema iso = SchemaBuilder.string().name("io.debezium.time.IsoTime").build();
    assertPrinted(iso, "time", () -> clock() + pick("", "Z"));
  }

  @Test
  void timestampsArePrintedAsTheServerDoes() throws SQLException {
    Schema micros = SchemaBuilder.int64().name("io.debezium.time.MicroTimestamp").build();
    assertPrinted(micros, "timestamp", () -> (some(80_000) * MICROS_OF_DAY) + timeOfDay());
    assertPrinted(micros, "timestamp", () -> 9_223_372_036_825_200_000L);
    assertPrinted(micros, "timestamp", () -> -740_000 * MICROS_OF_DAY);
    Schema millis = SchemaBuilder.int64().name("io.debezium.time.Timestamp").build();
    assertPrinted(millis, "timestamp", () -> timeOfDay() / 1_000);
    Schema iso = SchemaBuilder.string().name("io.debezium.time.IsoTimestamp").build();
    assertPrinted(iso, "timestamp", () -> day() + "T" + clock() + pick("", "Z"));
    Schema zoned = SchemaBuilder.string().name("io.debezium.time.ZonedTimestamp").build();
    assertPrinted(zoned, "timestamptz", () -> day() + "T" + clock() + "Z");
    assertPrinted(zoned, "timestamptz", () -> "-0043-03-15T01:02:03Z");
    assertPrinted(zoned, "timestamptz", () -> "+12024-03-15T01:02:03.5Z");
  }

  private long timeOfDay() {
    long micros = (long) (random.nextDouble() * MICROS_OF_DAY);
    return pick(micros, micros / 1_000_000 * 1_000_000, micros / 60_000_000 * 60_000_000);
  }

  private String day() {
    return "%04d-%02d-%02d"
        .formatted(1 + random.nextInt(9_999), 1 + random.nextInt(12), 1 + random.nextInt(28));
  }

  private String clock() {
    return "%02d:%02d:%02d".formatted(random.nextInt(24), random.nextInt(60), random.nextInt(60))
        + fraction();
  }

  @SafeVarargs
  private <T> T pick(T... values) {
    return values[random.nextInt(values.length)];
  }

  @Test
  void numbersArePrintedAsTheServerDoes() throws SQLException {
    assertPrinted(
        Schema.FLOAT64_SCHEMA, "float8", () -> Double.longBitsToDouble(random.nextLong()));
    assertPrinted(Schema.FLOAT64_SCHEMA, "float8", () -> random.nextInt(2_000) / 4.0);
    assertPrinted(Schema.FLOAT32_SCHEMA, "float4", () -> Float.intBitsToFloat(random.nextInt()));
    assertPrinted(Schema.INT64_SCHEMA, "int8", random::nextLong);
    assertThat(PrintedForms.of(Schema.STRING_SCHEMA, "numeric", "c").apply("1E-8"))
        .isEqualTo("0.00000001");
    Schema point =
        SchemaBuilder.struct()
            .name("io.debezium.data.geometry.Point")
            .field("x", Schema.FLOAT64_SCHEMA)
            .field("y", Schema.FLOAT64_SCHEMA)
            .build();
    assertPrinted(
        point,
        "point",
        () -> new Struct(point).put("x", some(50) / 8.0).put("y", -2.0e-9 * some(9)));
  }

  /** A column of texts would keep the exponent, and a daemon would print none. */
  @Test
  void aNumberWhoseSourceIsKnownIsPrintedWithoutAnExponentForAColumnOfTexts() {
    for (String type : List.of("NUMERIC", "decimal", "DECIMAL UNSIGNED")) {
      Function<Object, String> form =
          PrintedForms.of(ofSource(SchemaBuilder.string(), type), "text", "c");
      assertThat(form.apply("1E-8")).as(type).isEqualTo("0.00000001");
      assertThat(form.apply("-1.50E+3")).as(type).isEqualTo("-1500");
      assertThat(form.apply("NaN")).as(type).isEqualTo("NaN");
    }
    Schema several = ofSource(SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA), "_NUMERIC");
    assertThat(PrintedForms.of(several, "text", "c").apply(Arrays.asList("1E-8", null, "2")))
        .isEqualTo("{0.00000001,NULL,2}");
    assertThat(
            PrintedForms.of(ofSource(SchemaBuilder.string(), "VARCHAR"), "text", "c").apply("1E-8"))
        .isEqualTo("1E-8");
  }

  @Test
  void aNumberThatWasRoundedToADoubleIsRefusedForColumnsThatCouldHaveKeptIt() {
    Schema rounded = ofSource(SchemaBuilder.float64(), "NUMERIC");
    for (String type : List.of("text", "numeric")) {
      assertThatThrownBy(() -> PrintedForms.of(rounded, type, "c").apply(0.5))
          .as(type)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("decimal.handling.mode=precise or string")
          .hasMessageContaining("in the topic already stay doubles");
    }
    Schema several = ofSource(SchemaBuilder.array(Schema.OPTIONAL_FLOAT64_SCHEMA), "_NUMERIC");
    assertThatThrownBy(() -> PrintedForms.of(several, "text", "c").apply(List.of(0.5)))
        .isInstanceOf(SluiceException.Fatal.class);
    assertThat(PrintedForms.of(rounded, "float8", "c").apply(0.5)).isEqualTo("0.5");
    assertThat(PrintedForms.of(rounded, "int8", "c").apply(7.0)).isEqualTo("7");
    assertThat(PrintedForms.of(rounded, null, "c").apply(0.5)).isEqualTo("0.5");
  }

  private static Schema ofSource(SchemaBuilder values, String type) {
    return values.parameter("__debezium.source.column.type", type).build();
  }

  @Test
  void arraysArePrintedAsTheServerDoes() throws SQLException {
    Schema texts = SchemaBuilder.array(Schema.OPTIONAL_STRING_SCHEMA).build();
    List<String> elements =
        List.of(
            "", "a", "NULL", "null", "with space", "a,b", "{x}", "\"q\"", "b\\", "ö\t", "line\n");
    assertPrinted(
        texts,
        "text[]",
        () -> List.of(elements.get(random.nextInt(elements.size())), pick("x", "y")));
    Schema whole = SchemaBuilder.array(Schema.OPTIONAL_INT32_SCHEMA).build();
    List<Integer> numbers = new ArrayList<>(List.of(1, -3));
    numbers.add(1, null);
    assertPrinted(whole, "int[]", () -> numbers);
    assertPrinted(whole, "int[]", List::of);
  }

  @Test
  void aBooleanIsWhatTheTargetsColumnTakes() {
    assertThat(PrintedForms.of(Schema.BOOLEAN_SCHEMA, "bool", "c").apply(true)).isEqualTo("t");
    assertThat(PrintedForms.of(Schema.BOOLEAN_SCHEMA, "int8", "c").apply(true)).isEqualTo("1");
    assertThat(PrintedForms.of(Schema.BOOLEAN_SCHEMA, "bit", "c").apply(false)).isEqualTo("0");
    assertThatThrownBy(() -> PrintedForms.of(Schema.BOOLEAN_SCHEMA, "text", "c").apply(true))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("true or false for a column of texts");
  }

  @Test
  void anIntervalOfAnotherFormIsRefused() {
    Schema schema = SchemaBuilder.string().name("io.debezium.time.Interval").build();
    for (String text : List.of("P1W", "1 year", "P1Y2M3DT4H5M6.0000000001S", "P99999999999Y")) {
      assertThatThrownBy(() -> PrintedForms.of(schema, "text", "c").apply(text))
          .as(text)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("interval.handling.mode=string");
    }
  }

  private void assertPrinted(Schema schema, String type, Supplier<Object> values)
      throws SQLException {
    List<String> debezium = new ArrayList<>();
    List<String> printed = new ArrayList<>();
    for (int i = 0; i < VALUES; i++) {
      Object value = values.get();
      debezium.add(DebeziumText.of(schema, value, "c"));
      printed.add(PrintedForms.of(schema, "text", "c").apply(value));
    }
    List<String> server = new ArrayList<>();
    try (PreparedStatement statement =
        session.prepareStatement(
            "SELECT CAST(CAST(form AS "
                + type
                + ") AS text)"
                + " FROM unnest(?) WITH ORDINALITY AS forms (form, place) ORDER BY place")) {
      statement.setArray(1, session.createArrayOf("text", debezium.toArray()));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          server.add(row.getString(1));
        }
      }
    }
    assertThat(printed).isEqualTo(server);
  }
}
