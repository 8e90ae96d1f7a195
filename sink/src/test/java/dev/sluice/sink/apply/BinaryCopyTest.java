package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.TableChanges;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
            "9999",
            "10000",
            "-10000.0000",
            "123456789012345678901234567890.12345",
            "1e300",
            "100000000.00000001",
            "0.1",
            "-1.20"));
    VALUES.put("numeric(12,2)", List.of("0", "-0.01", "1234567890.12", "9999999999.99", "NaN"));
    VALUES.put("real", List.of("0", "-0", "Infinity", "-Infinity", "1e-45", "3.4028235e38"));
    VALUES.put(
        "double precision",
        List.of("0", "-0", "-Infinity", "5e-324", "1.7976931348623157e308", "0.1", "1e15"));
    VALUES.put("boolean", List.of("t", "f"));
    VALUES.put("text", List.of("", "a\tb\n\r\\.\\N", "é😀\u2028", "\\x00", " "));
    VALUES.put("character(5)", List.of("", "ab", "é"));
    VALUES.put("character varying(7)", List.of("", "1234567", "é "));
    VALUES.put("bytea", List.of("\\x", "\\x00ff0a5c", "\\xABCDEF"));
    VALUES.put("time without time zone", List.of("00:00:00", "23:59:59.999999"));
    VALUES.put("time(2) without time zone", List.of("12:34:56.78", "00:00:00.01"));
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
  void largeRowsArrive() throws SQLException {
    lab.run("CREATE TABLE dst.large (id int PRIMARY KEY, t text, b bytea)");
    RowSchema large =
        new RowSchema(
            new TableId("src", "large"),
            List.of(
                new Column("id", "integer", false, true),
                new Column("t", "text", true, false),
                new Column("b", "bytea", true, false)));
    List<NetChange> changes = new ArrayList<>();
    for (int id = 0; id < 40; id++) {
      // The last ones are larger than a row of the binary format may be.
      int length = id < 38 ? 20_000 * id : 7_000_000;
      changes.add(insert(row("" + id, "é\\".repeat(length / 2), "\\x" + "a5".repeat(length))));
    }
    lab.apply(applier, lab.window(net(keyed(large, changes.toArray(NetChange[]::new)))));
    assertThat(lab.replays()).isZero();
    String length = "CASE WHEN id < 38 THEN 20000 * id ELSE 7000000 END";
    assertThat(
            lab.rows(
                ("SELECT count(*) FROM dst.large WHERE t = repeat('é\\', (%1$s) / 2)"
                        + " AND b = decode(repeat('a5', %1$s), 'hex')")
                    .formatted(length)))
        .containsExactly("40");
  }

  @Test
  void valuesInAnotherFormArriveAsTextsWithTheRowsAfterThem() throws SQLException {
    lab.run(
        "CREATE TABLE dst.odd (id int PRIMARY KEY, d date, n numeric, b boolean, i integer, f real)");
    RowSchema odd =
        new RowSchema(
            new TableId("src", "odd"),
            Stream.of("id", "d", "n", "b", "i", "f")
                .map(name -> new Column(name, "text", !name.equals("id"), name.equals("id")))
                .toList());
    NetChange[] changes =
        IntStream.range(0, ROWS)
            .mapToObj(
                id ->
                    switch (id) {
                      case 700 -> insert(row("700", "January 8, 1999", null, null, null, null));
                      case 701 -> insert(row("701", null, " 1e3", null, null, null));
                      case 702 -> insert(row("702", null, null, "yes", null, null));
                      case 703 -> insert(row("703", null, null, null, " 5 ", null));
                      case 704 -> insert(row("704", null, null, null, null, "NaN"));
                      case 705 -> insert(row("705", null, "-Infinity", null, null, null));
                      default -> insert(row("" + id, "2000-01-01", "1.5", "f", "1", "0.1"));
                    })
            .toArray(NetChange[]::new);
    lab.apply(applier, lab.window(net(keyed(odd, changes))));
    assertThat(lab.replays()).as("windows that were rejected").isZero();
    assertThat(
            lab.rows("SELECT d, n, b, i, f FROM dst.odd WHERE id BETWEEN 700 AND 705 ORDER BY id"))
        .containsExactly(
            "1999-01-08|null|null|null|null",
            "null|1000|null|null|null",
            "null|null|t|null|null",
            "null|null|null|5|null",
            "null|null|null|null|NaN",
            "null|-Infinity|null|null|null");
    assertThat(lab.rows("SELECT count(*) FROM dst.odd")).containsExactly("" + ROWS);
  }

  /** Notes of each statement that inserts into these tables whether it is a binary COPY. */
  private void noteWays(String... tables) throws SQLException {
    lab.run(
        "CREATE TABLE public.ways (kind text, binary_form boolean)",
        "CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " INSERT INTO public.ways VALUES"
            + " (TG_TABLE_NAME, pg_catalog.current_query() LIKE '%FORMAT binary%');"
            + " RETURN NULL; END $$");
    for (String table : tables) {
      lab.run(
          "CREATE TRIGGER note BEFORE INSERT ON dst."
              + table
              + " FOR EACH STATEMENT EXECUTE FUNCTION public.note()",
          "ALTER TABLE dst." + table + " ENABLE ALWAYS TRIGGER note");
    }
  }

  @Test
  void onlyRowsThatCanAreSentInBinary() throws SQLException {
    RowSchema known = schema("known", false);
    RowSchema other = schema("other", true);
    lab.run(definition(known), definition(other));
    noteWays("known", "other");
    Random random = new Random(43);
    List<List<String>> printed = printed("UTC");
    List<NetChange> inKnown = new ArrayList<>();
    List<NetChange> inOther = new ArrayList<>();
    for (int id = 0; id < ROWS; id++) {
      List<String> values = values(printed, id, random);
      inKnown.add(insert(row(values.toArray(String[]::new))));
      values.add("1 day");
      inOther.add(insert(row(values.toArray(String[]::new))));
    }
    lab.apply(
        applier,
        lab.window(
            net(
                keyed(known, inKnown.toArray(NetChange[]::new)),
                keyed(other, inOther.toArray(NetChange[]::new)))));
    assertThat(lab.rows("SELECT * FROM public.ways ORDER BY kind"))
        .containsExactly("known|t", "other|f");
  }

  /** What the server says about a row is then about the row, and not about its binary form. */
  @Test
  void changesOfARejectedWindowAreTexts() throws SQLException {
    lab.run("CREATE TABLE dst.strict (id int PRIMARY KEY, n int CHECK (n <> 7))");
    noteWays("strict");
    applier.close();
    applier =
        lab.applier(
            TargetLab.STOPPING.with(ErrorBehavior.DATA_ERROR_POLICY, ErrorAction.LOG_ERROR));
    RowSchema strict = TargetLab.schema("strict", "*id integer", "n integer");
    NetChange[] changes =
        IntStream.range(0, 2 * ROWS)
            .mapToObj(id -> insert(row("" + id, id == 700 ? "7" : "1")))
            .toArray(NetChange[]::new);
    lab.apply(applier, lab.window(net(keyed(strict, changes))));
    assertThat(lab.replays()).as("windows that were rejected").isOne();
    assertThat(lab.rows("SELECT count(*) FROM dst.strict")).containsExactly("" + (2 * ROWS - 1));
    assertThat(lab.rows("SELECT DISTINCT binary_form FROM public.ways")).containsExactly("f");

    NetChange[] next =
        IntStream.range(2 * ROWS, 3 * ROWS)
            .mapToObj(id -> insert(row("" + id, "1")))
            .toArray(NetChange[]::new);
    lab.apply(applier, lab.window(net(keyed(strict, next))));
    assertThat(lab.rows("SELECT count(*) FROM public.ways WHERE binary_form"))
        .as("the window after it")
        .containsExactly("1");
  }

  @Test
  void copiesOfRowsWithoutAKeyComeAndGoAsOftenAsOnTheSource() throws SQLException {
    lab.run("CREATE TABLE dst.line (n integer, d date)");
    RowSchema line =
        new RowSchema(
            new TableId("src", "line"),
            List.of(new Column("n", "integer", true, false), new Column("d", "date", true, false)));
    List<TableChanges.Copies> copies = new ArrayList<>();
    for (int n = 0; n < ROWS; n++) {
      copies.add(
          new TableChanges.Copies(
              row("" + n, n == 700 ? "January 8, 1999" : "1999-01-08"), 1 + n % 3));
    }
    lab.apply(
        applier, lab.window(net(new TableChanges.Multiset(line, List.of(), List.of(), copies))));
    String differing =
        "SELECT n FROM dst.line WHERE d = '1999-01-08' GROUP BY n HAVING count(*) <> 1 + n % 3";
    assertThat(lab.rows(differing)).isEmpty();
    assertThat(lab.rows("SELECT count(DISTINCT n) FROM dst.line")).containsExactly("" + ROWS);

    lab.apply(
        applier,
        lab.window(
            net(
                new TableChanges.Multiset(
                    line, copies.subList(0, ROWS / 2), List.of(), List.of()))));

    assertThat(lab.rows("SELECT min(n), count(DISTINCT n) FROM dst.line"))
        .containsExactly("600|600");
    assertThat(lab.replays()).isZero();
  }

  @Test
  void valuesAsDebeziumPrintsThemAreWrittenInBinary() throws SQLException {
    lab.run(
        "CREATE TABLE dst.debezium (id int PRIMARY KEY, t timestamp, z timestamptz, n numeric, d double precision, b boolean, u uuid)");
    RowSchema debezium =
        new RowSchema(
            new TableId("src", "debezium"),
            Stream.of("id", "t", "z", "n", "d", "b", "u")
                .map(name -> new Column(name, "text", !name.equals("id"), name.equals("id")))
                .toList());
    NetChange[] changes =
        IntStream.range(0, ROWS)
            .mapToObj(
                id ->
                    insert(
                        id % 2 == 0
                            ? row(
                                "" + id,
                                "2026-11-26T20:15",
                                "2026-11-26T20:15:01.5Z",
                                "0E-10",
                                "1.0E10",
                                "true",
                                "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11")
                            : row(
                                "" + id,
                                "2026-11-26 20:15:00.123456000",
                                "2026-11-26T20:15+05:30",
                                "-1.25E+3",
                                "-2.5E-7",
                                "false",
                                null)))
            .toArray(NetChange[]::new);
    lab.apply(applier, lab.window(net(keyed(debezium, changes))));
    assertThat(lab.replays()).as("windows that were rejected").isZero();
    assertThat(
            lab.rows(
                "SELECT DISTINCT t::text, (z AT TIME ZONE 'UTC')::text, n::text, d::text, b::text, u::text FROM dst.debezium ORDER BY 1"))
        .containsExactly(
            "2026-11-26 20:15:00|2026-11-26 20:15:01.5|0.0000000000|10000000000|true|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "2026-11-26 20:15:00.123456|2026-11-26 14:45:00|-1250|-2.5e-07|false|null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "smallint | 32768",
        "bigint | 9223372036854775808",
        "numeric(5,2) | 1000.00",
        "real | 1e-60",
        "double precision | 1e400",
        "varchar(2) | abc",
        "date | 5874898-01-01",
        "timestamp | 586600-01-01 00:00:00",
        "timestamptz | 2026-01-01 00:00:00+17",
        "uuid | a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1"
      })
  void aValueThatItsTypeCannotHoldIsRejectedByTheTarget(String type, String value)
      throws SQLException {
    lab.run("CREATE TABLE dst.narrow (id int PRIMARY KEY, n " + type + ")");
    RowSchema narrow =
        new RowSchema(
            new TableId("src", "narrow"),
            List.of(
                new Column("id", "integer", false, true), new Column("n", "text", true, false)));
    NetChange[] changes =
        IntStream.range(0, ROWS)
            .mapToObj(id -> insert(row("" + id, id == 700 ? value : null)))
            .toArray(NetChange[]::new);
    assertThatThrownBy(() -> lab.apply(applier, lab.window(net(keyed(narrow, changes)))))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("id=700");
    assertThat(lab.rows("SELECT count(*) FROM dst.narrow")).containsExactly("0");
  }
}
