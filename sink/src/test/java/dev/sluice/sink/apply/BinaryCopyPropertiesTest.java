package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static dev.sluice.sink.apply.TargetLab.toasted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.window.compaction.NetChange;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Random rows of all types with a binary form end as the same rows do in a table that is written as
 * text: one more column has a type without such a form. A second unique index makes some updates
 * delete and insert.
 */
class BinaryCopyPropertiesTest {
  /** So many that no set of them is sent as parameters. */
  private static final int ROWS = 550;

  private static final Map<String, Arbitrary<String>> VALUES = new LinkedHashMap<>();
  private static TargetLab lab;
  private static BatchApplier applier;
  private static int tables;

  static {
    VALUES.put("smallint", Arbitraries.shorts().map(String::valueOf));
    VALUES.put("integer", Arbitraries.integers().map(String::valueOf));
    VALUES.put("bigint", Arbitraries.longs().map(String::valueOf));
    VALUES.put(
        "numeric",
        Combinators.combine(Arbitraries.bigIntegers(), Arbitraries.integers().between(-5, 40))
            .as((digits, scale) -> new BigDecimal(digits, scale).toString()));
    VALUES.put(
        "numeric(14,3)",
        Arbitraries.longs()
            .between(-9_999_999_999_999L, 9_999_999_999_999L)
            .map(digits -> new BigDecimal(digits + "e-4").toPlainString()));
    VALUES.put("real", Arbitraries.floats().map(String::valueOf));
    VALUES.put("double precision", Arbitraries.doubles().map(String::valueOf));
    VALUES.put("boolean", Arbitraries.of("t", "f", "true", "false"));
    VALUES.put("text", texts(0, 30));
    VALUES.put("varchar(12)", texts(0, 12));
    VALUES.put("character(5)", texts(0, 5));
    VALUES.put(
        "bytea",
        Arbitraries.strings()
            .withChars("0123456789abcdefABCDEF")
            .ofMaxLength(20)
            .map(digits -> "\\x" + digits.substring(digits.length() % 2)));
    VALUES.put(
        "uuid",
        Combinators.combine(Arbitraries.longs(), Arbitraries.longs())
            .as((high, low) -> new java.util.UUID(high, low).toString()));
    VALUES.put("date", dates(5_874_897));
    VALUES.put("time without time zone", times());
    VALUES.put("time(3) without time zone", times());
    Arbitrary<String> timestamps =
        Combinators.combine(dates(294_275), times(), Arbitraries.of(" ", "T"))
            .as((date, time, between) -> inDay(date, between + time));
    VALUES.put("timestamp without time zone", timestamps);
    VALUES.put("timestamp(0) without time zone", timestamps);
    VALUES.put(
        "timestamp with time zone",
        Combinators.combine(
                timestamps, Arbitraries.of("+00", "-05:30", "+14", "+15:59:59", "-00:00:01"))
            .as(BinaryCopyPropertiesTest::inDay));
  }

  private static Arbitrary<String> texts(int least, int most) {
    return Arbitraries.strings()
        .withChars("ab \\\t\n\r\"'.N,{}é€")
        .ofMinLength(least)
        .ofMaxLength(most);
  }

  /** Years of common dates, of the first years, and up to the last. */
  private static Arbitrary<String> dates(int lastYear) {
    Arbitrary<Integer> years =
        Arbitraries.oneOf(
            Arbitraries.integers().between(1, 9999), Arbitraries.integers().between(1, lastYear));
    return Combinators.combine(
            years,
            Arbitraries.integers().between(1, 12),
            Arbitraries.integers().between(1, 28),
            Arbitraries.integers().between(0, 9))
        .as(
            (year, month, day, era) ->
                "%04d-%02d-%02d%s"
                    .formatted(year, month, day, era == 0 && year < 4700 ? " BC" : ""));
  }

  private static Arbitrary<String> times() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 86_399),
            Arbitraries.integers().between(0, 999_999),
            Arbitraries.integers().between(0, 6))
        .as(
            (second, micros, digits) ->
                "%02d:%02d:%02d".formatted(second / 3600, second / 60 % 60, second % 60)
                    + (digits == 0 ? "" : ".%06d".formatted(micros).substring(0, digits + 1)));
  }

  /** Puts a text behind the day, before its era. */
  private static String inDay(String day, String more) {
    return day.endsWith(" BC") ? day.substring(0, day.length() - 3) + more + " BC" : day + more;
  }

  @BeforeContainer
  static void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    applier = lab.applier(0);
  }

  @AfterContainer
  static void close() throws SQLException {
    applier.close();
    lab.close();
  }

  @Provide
  Arbitrary<List<List<String>>> rows() {
    List<Arbitrary<String>> columns =
        VALUES.values().stream().map(values -> values.injectNull(0.1)).toList();
    return Combinators.combine(columns).as(values -> values).list().ofSize(ROWS);
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

  private static void create(RowSchema schema) throws SQLException {
    lab.run(
        "CREATE TABLE dst.%s (%s, PRIMARY KEY (id), UNIQUE (id, c3))"
            .formatted(
                schema.table().name(),
                String.join(
                    ", ",
                    schema.columns().stream()
                        .map(each -> each.name() + " " + each.type())
                        .toList())));
  }

  private static NetChange[] changes(List<List<String>> rows, boolean known, boolean asText) {
    return IntStream.range(0, ROWS)
        .mapToObj(
            id -> {
              List<String> values = new ArrayList<>(List.of("" + id));
              values.addAll(rows.get(id));
              if (asText) {
                values.add("1 day");
              }
              if (known && id % 3 == 0) {
                values.set(1 + id % VALUES.size(), "~");
              }
              Row match = known ? row("" + id) : null;
              return new NetChange(match, toasted(values.toArray(String[]::new)));
            })
        .toArray(NetChange[]::new);
  }

  @Property(tries = 12, shrinking = ShrinkingMode.OFF)
  void rowsEndAsTheirTextsDo(@ForAll("rows") List<List<String>> rows) throws SQLException {
    tables++;
    RowSchema binary = schema("b" + tables, false);
    RowSchema text = schema("t" + tables, true);
    create(binary);
    create(text);
    int replays = lab.replays();
    List<List<String>> inserted = new ArrayList<>(rows);
    Collections.reverse(inserted);

    apply(binary, text, inserted, false);
    apply(binary, text, rows, true);

    assertThat(lab.replays()).as("windows that were rejected").isEqualTo(replays);
  }

  private static void apply(
      RowSchema binary, RowSchema text, List<List<String>> rows, boolean known)
      throws SQLException {
    lab.apply(
        applier,
        lab.window(
            net(
                keyed(binary, changes(rows, known, false)),
                keyed(text, changes(rows, known, true)))));
    String columns =
        String.join(
            ", ",
            IntStream.rangeClosed(1, VALUES.size()).mapToObj(i -> "c" + i + "::text").toList());
    String one = "SELECT id, %s FROM dst.%s".formatted(columns, binary.table().name());
    String other = "SELECT id, %s FROM dst.%s".formatted(columns, text.table().name());
    assertThat(lab.rows(one + " EXCEPT ALL " + other)).isEmpty();
    assertThat(lab.rows(other + " EXCEPT ALL " + one)).isEmpty();
    assertThat(lab.rows("SELECT count(*) FROM dst." + binary.table().name()))
        .containsExactly("" + ROWS);
  }
}
