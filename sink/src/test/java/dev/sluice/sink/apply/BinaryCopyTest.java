package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.window.compaction.NetChange;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rows that are written in COPY's binary format are those that its text format would have written.
 * A table with one more column, whose type has no binary form, is written as text.
 */
class BinaryCopyTest {
  /** So many that no set of them is sent as parameters. */
  private static final int ROWS = 1_200;

  /** Values of each column, as PostgreSQL takes them; it prints them before they are written. */
  private static final Map<String, List<String>> VALUES = new LinkedHashMap<>();

  static {
    VALUES.put("smallint", List.of("0", "-32768", "32767", "-1", "200"));
    VALUES.put("integer", List.of("0", "-2147483648", "2147483647", "-7", "65536"));
    VALUES.put(
        "bigint",
        List.of("0", "-9223372036854775808", "9223372036854775807", "-9223372036854775807", "10"));
    VALUES.put(
        "numeric",
        List.of(
            "0",
            "0.000",
            "-0.0001",
            "1e-20",
            "NaN",
            "Infinity",
            "-Infinity",
            "9999",
            "10000",
            "-10000.0000",
            "123456789012345678901234567890.12345",
            "1e300",
            "100000000.00000001",
            "0.1",
            "-1.20"));
    VALUES.put("numeric(12,2)", List.of("0", "-0.01", "1234567890.12", "9999999999.99", "NaN"));
    VALUES.put("real", List.of("0", "-0", "NaN", "Infinity", "-Infinity", "1e-45", "3.4028235e38"));
    VALUES.put(
        "double precision",
        List.of("0", "-0", "NaN", "-Infinity", "5e-324", "1.7976931348623157e308", "0.1", "1e15"));
    VALUES.put("boolean", List.of("t", "f"));
    VALUES.put("text", List.of("", "a\tb\n\r\\.\\N", "é😀\u2028", "\\x00", " "));
    VALUES.put("character(5)", List.of("", "ab", "é"));
    VALUES.put("character varying(7)", List.of("", "1234567", "é "));
    VALUES.put("bytea", List.of("\\x", "\\x00ff0a5c", "\\xABCDEF"));
    VALUES.put("json", List.of("{ \"a\" :  [1, null] }", "1", "\"\\u00e9\""));
    VALUES.put("jsonb", List.of("{\"b\": [1, null], \"a\": 1.50}", "null", "\"é\""));
    VALUES.put("uuid", List.of("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
    VALUES.put(
        "date",
        List.of(
            "infinity",
            "-infinity",
            "4713-01-01 BC",
            "5874897-12-31",
            "0001-01-01",
            "0001-12-31 BC",
            "2000-02-29",
            "1999-12-31",
            "0044-03-15 BC"));
    List<String> timestamps =
        List.of(
            "infinity",
            "-infinity",
            "4713-01-03 00:00:00 BC",
            "294276-12-30 23:59:59.999999",
            "0001-12-31 23:59:59.5 BC",
            "1999-12-31 23:59:59.000001",
            "2000-01-01",
            "1850-06-07 08:09:10",
            "2026-11-26 19:45:00.12");
    VALUES.put("timestamp without time zone", timestamps);
    VALUES.put("timestamp with time zone", timestamps);
  }

  private TargetLab lab;
  private BatchApplier applier;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    applier = lab.applier(0);
  }

  @AfterEach
  void close() throws SQLException {
    applier.close();
    lab.close();
  }

  private static RowSchema schema(String table, boolean asText) {
    List<Column> columns = new ArrayList<>(List.of(new Column("id", "integer", false, true)));
    for (String type : VALUES.keySet()) {
      columns.add(new Column("c" + columns.size(), type, true, false));
    }
    if (asText) {
      columns.add(new Column("more", "interval", true, false));
    }
    return new RowSchema(new TableId("src", table), columns);
  }

  private static String definition(RowSchema schema) {
    return "CREATE TABLE dst.%s (%s, PRIMARY KEY (id))"
        .formatted(
            schema.table().name(),
            String.join(
                ", ",
                schema.columns().stream().map(each -> each.name() + " " + each.type()).toList()));
  }

  /** The values as PostgreSQL prints them in a time zone. */
  private List<List<String>> printed(String zone) throws SQLException {
    lab.run("SET TimeZone = '" + zone + "'");
    List<List<String>> printed = new ArrayList<>();
    for (Map.Entry<String, List<String>> values : VALUES.entrySet()) {
      List<String> texts = new ArrayList<>();
      for (String value : values.getValue()) {
        String literal = value.replace("'", "''");
        texts.add(lab.rows("SELECT ('%s'::%s)::text".formatted(literal, values.getKey())).get(0));
      }
      printed.add(texts);
    }
    return printed;
  }

  private static List<String> values(List<List<String>> printed, int id, Random random) {
    List<String> values = new ArrayList<>(List.of("" + id));
    for (List<String> each : printed) {
      boolean isNull = random.nextInt(6) == 0;
      values.add(isNull ? null : each.get(random.nextInt(each.size())));
    }
    return values;
  }

  private void requireEqual() throws SQLException {
    assertThat(lab.replays()).as("windows that were rejected").isZero();
    String columns =
        String.join(
            ", ",
            IntStream.rangeClosed(1, VALUES.size()).mapToObj(i -> "c" + i + "::text").toList());
    for (List<String> sides : List.of(List.of("b", "t"), List.of("t", "b"))) {
      assertThat(
              lab.rows(
                  "SELECT id, %1$s FROM dst.%2$s EXCEPT ALL SELECT id, %1$s FROM dst.%3$s"
                      .formatted(columns, sides.get(0), sides.get(1))))
          .isEmpty();
    }
    assertThat(lab.rows("SELECT count(*) FROM dst.b")).containsExactly("" + ROWS);
  }

  @Test
  void insertsAndUpdatesOfEveryTypeEndAsTheirTextsDo() throws SQLException {
    RowSchema binary = schema("b", false);
    RowSchema text = schema("t", true);
    lab.run(definition(binary), definition(text));
    Random random = new Random(42);
    for (String zone : List.of("Asia/Kolkata", "America/St_Johns", "UTC")) {
      List<List<String>> printed = printed(zone);
      List<NetChange> inBinary = new ArrayList<>();
      List<NetChange> inText = new ArrayList<>();
      for (int id = 0; id < ROWS; id++) {
        List<String> values = values(printed, id, random);
        Row match = zone.equals("Asia/Kolkata") ? null : row("" + id);
        inBinary.add(new NetChange(match, row(values.toArray(String[]::new))));
        inText.add(
            new NetChange(
                match,
                row(Stream.concat(values.stream(), Stream.of("1 day")).toArray(String[]::new))));
      }
      lab.apply(
          applier,
          lab.window(
              net(
                  keyed(binary, inBinary.toArray(NetChange[]::new)),
                  keyed(text, inText.toArray(NetChange[]::new)))));
      requireEqual();
    }
  }

  @Test
  void randomNumbersAndTimesEndAsTheirTextsDo() throws SQLException {
    lab.run(
        "CREATE TABLE dst.b (id int PRIMARY KEY, n numeric, d double precision, f real, t timestamp, z timestamptz, a date)",
        "CREATE TABLE dst.t (id int PRIMARY KEY, n numeric, d double precision, f real, t timestamp, z timestamptz, a date, more interval)",
        "CREATE TABLE src.v AS SELECT g AS id,"
            + " round(((random() - 0.5) * power(10::numeric, (random() * 40)::int)::float8)::numeric, (random() * 30)::int) AS n,"
            + " (random() - 0.5) * power(10::float8, (random() * 600 - 300)::int) AS d,"
            + " ((random() - 0.5) * power(10::float8, (random() * 60 - 30)::int))::real AS f,"
            + " timestamp '0001-01-01' + random() * interval '9000 years' AS t,"
            + " timestamptz '4000-01-01 BC' + random() * interval '9000 years' AS z,"
            + " date '4000-01-01 BC' + (random() * 3000000)::int AS a"
            + " FROM generate_series(0, 3999) g");
    List<String> names = List.of("id", "n", "d", "f", "t", "z", "a");
    List<Column> columns =
        names.stream()
            .map(name -> new Column(name, "text", !name.equals("id"), name.equals("id")))
            .toList();
    RowSchema binary = new RowSchema(new TableId("src", "b"), columns);
    List<Column> more = new ArrayList<>(columns);
    more.add(new Column("more", "interval", true, false));
    RowSchema text = new RowSchema(new TableId("src", "t"), more);
    List<NetChange> inBinary = new ArrayList<>();
    List<NetChange> inText = new ArrayList<>();
    for (String line : lab.rows("SELECT id, n, d, f, t::text, z::text, a::text FROM src.v")) {
      String[] values = line.split("\\|");
      inBinary.add(insert(row(values)));
      inText.add(insert(row(Arrays.copyOf(values, values.length + 1))));
    }
    lab.apply(
        applier,
        lab.window(
            net(
                keyed(binary, inBinary.toArray(NetChange[]::new)),
                keyed(text, inText.toArray(NetChange[]::new)))));
    assertThat(lab.replays()).isZero();
    String written = "SELECT id, n::text, d::text, f::text, t, z, a FROM ";
    assertThat(lab.rows(written + "dst.b EXCEPT ALL " + written + "dst.t")).isEmpty();
    assertThat(lab.rows(written + "dst.b EXCEPT ALL " + written + "src.v")).isEmpty();
    assertThat(lab.rows("SELECT count(*) FROM dst.b")).containsExactly("4000");
  }

  @Test
  void largeValuesArriveInPieces() throws SQLException {
    lab.run("CREATE TABLE dst.large (id int PRIMARY KEY, t text, b bytea, j jsonb)");
    RowSchema large =
        new RowSchema(
            new TableId("src", "large"),
            List.of(
                new Column("id", "integer", false, true),
                new Column("t", "text", true, false),
                new Column("b", "bytea", true, false),
                new Column("j", "jsonb", true, false)));
    List<NetChange> changes = new ArrayList<>();
    for (int id = 0; id < 40; id++) {
      int length = 20_000 * id;
      changes.add(
          insert(
              row(
                  "" + id,
                  "é\\".repeat(length / 2),
                  "\\x" + "a5".repeat(length),
                  "\"" + "j".repeat(length) + "\"")));
    }
    lab.apply(applier, lab.window(net(keyed(large, changes.toArray(NetChange[]::new)))));
    assertThat(lab.replays()).isZero();
    assertThat(
            lab.rows(
                "SELECT count(*) FROM dst.large WHERE t = repeat('é\\', 10000 * id)"
                    + " AND b = decode(repeat('a5', 20000 * id), 'hex')"
                    + " AND j #>> '{}' = repeat('j', 20000 * id)"))
        .containsExactly("40");
  }

  @Test
  void valuesInAnotherFormArriveAsTexts() throws SQLException {
    lab.run("CREATE TABLE dst.odd (id int PRIMARY KEY, d date, n numeric, b boolean, i integer)");
    RowSchema odd =
        new RowSchema(
            new TableId("src", "odd"),
            Stream.of("id", "d", "n", "b", "i")
                .map(name -> new Column(name, "text", !name.equals("id"), name.equals("id")))
                .toList());
    NetChange[] changes =
        IntStream.range(0, ROWS)
            .mapToObj(
                id ->
                    switch (id) {
                      case 7 -> insert(row("7", "January 8, 1999", null, null, null));
                      case 8 -> insert(row("8", null, "1e3", null, null));
                      case 9 -> insert(row("9", null, null, "yes", null));
                      case 10 -> insert(row("10", null, null, null, " 5 "));
                      default -> insert(row("" + id, "2000-01-01", "1.5", "f", "1"));
                    })
            .toArray(NetChange[]::new);
    lab.apply(applier, lab.window(net(keyed(odd, changes))));
    assertThat(lab.replays()).as("windows without a binary form").isEqualTo(1);
    assertThat(lab.rows("SELECT d, n, b, i FROM dst.odd WHERE id BETWEEN 7 AND 10 ORDER BY id"))
        .containsExactly(
            "1999-01-08|null|null|null",
            "null|1000|null|null",
            "null|null|t|null",
            "null|null|null|5");
    assertThat(lab.rows("SELECT count(*) FROM dst.odd")).containsExactly("" + ROWS);
    assertThat(lab.rows("SELECT count(*) FROM sluice_control.sluice_apply_exceptions"))
        .containsExactly("0");
  }

  @Test
  void aNumberThatItsTypeCannotHoldIsRejectedByTheTarget() throws SQLException {
    lab.run("CREATE TABLE dst.narrow (id int PRIMARY KEY, n smallint)");
    RowSchema narrow =
        new RowSchema(
            new TableId("src", "narrow"),
            List.of(
                new Column("id", "integer", false, true),
                new Column("n", "smallint", true, false)));
    NetChange[] changes =
        IntStream.range(0, ROWS)
            .mapToObj(id -> insert(row("" + id, id == 700 ? "32768" : "-32768")))
            .toArray(NetChange[]::new);
    assertThatThrownBy(() -> lab.apply(applier, lab.window(net(keyed(narrow, changes)))))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("32768");
    assertThat(lab.rows("SELECT count(*) FROM dst.narrow")).containsExactly("0");
  }
}
