package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.TargetLab.change;
import static dev.sluice.sink.apply.TargetLab.delete;
import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.net;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.TableChanges;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Values of all types arrive unchanged on every path to the target. */
class ValueTypesTest {

  /** Some literals of each column type. */
  private static final Map<String, List<String>> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("bool", List.of("true", "false"));
    TYPES.put("int2", List.of("-32768", "0"));
    TYPES.put("int8", List.of("9223372036854775807", "-1"));
    TYPES.put("numeric", List.of("NaN", "Infinity", "1.500", "-1e-20"));
    TYPES.put("numeric(12,3)", List.of("1.5", "-0.001"));
    TYPES.put("float8", List.of("NaN", "-Infinity", "0.1", "1e-300"));
    TYPES.put("float4", List.of("3.4028235e38", "-0"));
    TYPES.put("money", List.of("12.34"));
    TYPES.put("text", List.of("", "\\N", "\\", "a\tb\nc\rd", "NULL", "null", "'\"{},()", "é😀"));
    TYPES.put("varchar(5)", List.of("", "fünf5"));
    TYPES.put("char(4)", List.of("ab", ""));
    TYPES.put("\"char\"", List.of("x", ""));
    TYPES.put("name", List.of("n"));
    TYPES.put("bytea", List.of("\\x00ff5c", "\\x"));
    TYPES.put("date", List.of("infinity", "0044-03-15 BC", "2026-02-28"));
    TYPES.put("time(3)", List.of("23:59:59.999", "24:00:00"));
    TYPES.put("timetz", List.of("12:00:00+05:30"));
    TYPES.put("timestamp(2)", List.of("-infinity", "2026-01-01 00:00:00.12"));
    TYPES.put("timestamptz", List.of("infinity", "1900-01-01 00:00:00+00", "0001-01-01 BC"));
    TYPES.put("interval", List.of("1 year -2 mons 3 days -04:05:06.7", "00:00:00"));
    TYPES.put("interval day to second(1)", List.of("3 days 04:05:06.7"));
    TYPES.put("bit(3)", List.of("101"));
    TYPES.put("varbit(7)", List.of("", "1010101"));
    TYPES.put("uuid", List.of("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
    TYPES.put("inet", List.of("::1", "10.0.0.1/8"));
    TYPES.put("macaddr", List.of("08:00:2b:01:02:03"));
    TYPES.put("json", List.of("{\"a\" : [1, null]}", "\"\\\\u00e9\""));
    TYPES.put("jsonb", List.of("{\"b\": 1.0, \"a\": \"\\\"\"}"));
    TYPES.put("xml", List.of("<a>b</a>", "text <b/>"));
    TYPES.put("tsvector", List.of("'a':1 'b\\\\c':2"));
    TYPES.put("pg_lsn", List.of("16/B374D848"));
    TYPES.put("point", List.of("(1,2)"));
    TYPES.put("box", List.of("(3,4),(1,2)"));
    TYPES.put("box[]", List.of("{(3,4),(1,2);(7,8),(5,6)}"));
    TYPES.put("polygon", List.of("((0,0),(1,1),(1,0))"));
    TYPES.put("int4range", List.of("empty", "[1,5)", "(,)"));
    TYPES.put("int4multirange", List.of("{[1,2),[5,6)}"));
    TYPES.put("int4[]", List.of("{}", "{1,NULL,3}", "{{1,2},{3,4}}", "[0:1]={7,8}"));
    TYPES.put("text[]", List.of("{\"a\\\"b\",\"NULL\",NULL,\"\"}"));
    TYPES.put("varchar(3)[]", List.of("{abc,\"\"}"));
    TYPES.put("int2vector", List.of("1 2 3"));
    TYPES.put("dst.mood", List.of("happy", "it's, \\{\"sad\"}"));
    TYPES.put("dst.mood[]", List.of("{happy,happy}"));
    TYPES.put("dst.short", List.of("abc"));
    TYPES.put("dst.short[]", List.of("{abc,def}"));
    TYPES.put("dst.list", List.of("{1,2}"));
    TYPES.put("dst.pair", List.of("(1,\"a,\"\"b\"\"\")", "(,)"));
    TYPES.put("dst.pair[]", List.of("{\"(1,a)\",NULL}"));
  }

  private final List<String> types = List.copyOf(TYPES.keySet());
  private TargetLab lab;
  private RowSchema schema;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    lab.run(
        "CREATE TYPE dst.mood AS ENUM ('happy', E'it''s, \\\\{\"sad\"}')",
        "CREATE DOMAIN dst.short AS varchar(3) CHECK (value <> 'bad')",
        "CREATE DOMAIN dst.list AS int[]",
        "CREATE TYPE dst.pair AS (a int, b text)");
    StringBuilder columns = new StringBuilder("id int PRIMARY KEY");
    List<Column> described = new ArrayList<>();
    described.add(new Column("id", "integer", false, true));
    for (int i = 0; i < types.size(); i++) {
      columns.append(", v").append(i).append(' ').append(types.get(i));
      described.add(new Column("v" + i, types.get(i), true, false));
    }
    lab.run("CREATE TABLE src.t (%s)".formatted(columns));
    lab.run("CREATE TABLE dst.t (LIKE src.t INCLUDING ALL)");
    schema = new RowSchema(new TableId("src", "t"), described);
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  /** Row {@code id} has one literal of each type, selected by its number, and some NULLs. */
  private void putOnSource(int from, int to, int shift) throws SQLException {
    for (int id = from; id < to; id++) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < types.size(); i++) {
        List<String> literals = TYPES.get(types.get(i));
        int choice = (id + shift + i) % (literals.size() + 1);
        values.add(choice == literals.size() ? "NULL" : quoted(literals.get(choice)));
      }
      lab.run(
          "DELETE FROM src.t WHERE id = " + id,
          "INSERT INTO src.t VALUES (%d, %s)".formatted(id, String.join(", ", values)));
    }
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private List<Row> sourceRows() throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (Statement statement = lab.sql.createStatement();
        ResultSet result = statement.executeQuery("SELECT * FROM src.t")) {
      while (result.next()) {
        RowBuilder builder = new RowBuilder(1024);
        for (int i = 1; i <= types.size() + 1; i++) {
          builder.add(result.getString(i));
        }
        rows.add(builder.build());
      }
    }
    return rows;
  }

  private void assertEqual() throws SQLException {
    assertThat(lab.rows("SELECT t::text FROM src.t EXCEPT ALL SELECT t::text FROM dst.t"))
        .isEmpty();
    assertThat(lab.rows("SELECT t::text FROM dst.t EXCEPT ALL SELECT t::text FROM src.t"))
        .isEmpty();
  }

  private static Row withUnchanged(Row row, int every) {
    RowBuilder builder = new RowBuilder(1024);
    for (int i = 0; i < row.columns(); i++) {
      if (i > 0 && i % every == 0) {
        builder.addUnchanged();
      } else {
        builder.add(row.text(i));
      }
    }
    return builder.build();
  }

  private void insertsAndUpdatesArrive(int rows, String... indexes) throws SQLException {
    for (String index : indexes) {
      lab.run(index);
    }
    try (BatchApplier applier = lab.applier(0)) {
      putOnSource(0, rows, 0);
      List<NetChange> inserts = new ArrayList<>();
      sourceRows().forEach(row -> inserts.add(insert(row)));
      applier.apply(lab.window(net(new TableChanges.Keyed(schema, inserts))));
      assertEqual();

      putOnSource(0, rows, 1);
      List<NetChange> updates = new ArrayList<>();
      sourceRows().forEach(row -> updates.add(change(schema.matchOf(row), row)));
      applier.apply(lab.window(net(new TableChanges.Keyed(schema, updates))));
      assertEqual();

      List<NetChange> unchanged = new ArrayList<>();
      for (Row row : sourceRows()) {
        unchanged.add(change(schema.matchOf(row), withUnchanged(row, 2)));
      }
      applier.apply(lab.window(net(new TableChanges.Keyed(schema, unchanged))));
      assertEqual();

      lab.run("UPDATE src.t SET id = id + 100000");
      List<NetChange> moves = new ArrayList<>();
      for (Row row : sourceRows()) {
        int old = Integer.parseInt(row.text(0)) - 100_000;
        moves.add(change(TargetLab.row(Integer.toString(old)), withUnchanged(row, 3)));
      }
      applier.apply(lab.window(net(new TableChanges.Keyed(schema, moves))));
      assertEqual();

      List<NetChange> deletes = new ArrayList<>();
      sourceRows().forEach(row -> deletes.add(delete(schema.matchOf(row))));
      lab.run("DELETE FROM src.t");
      applier.apply(lab.window(net(new TableChanges.Keyed(schema, deletes))));
      assertEqual();
    }
  }

  @Test
  void asArrayParameters() throws SQLException {
    insertsAndUpdatesArrive(9);
  }

  @Test
  void throughStagingTables() throws SQLException {
    insertsAndUpdatesArrive(501);
  }

  @Test
  void asArrayParametersWhereEveryColumnIsInAnIndex() throws SQLException {
    insertsAndUpdatesArrive(9, indexOverAll());
  }

  @Test
  void throughStagingTablesWhereEveryColumnIsInAnIndex() throws SQLException {
    insertsAndUpdatesArrive(501, indexOverAll());
  }

  /** Makes every update compare images. */
  private String indexOverAll() {
    return "CREATE UNIQUE INDEX ON dst.t (id) WHERE "
        + schema.columns().stream()
            .map(column -> "(" + column.name() + " IS NULL OR " + column.name() + " IS NOT NULL)")
            .collect(Collectors.joining(" AND "));
  }

  @Test
  void oneByOne() throws SQLException {
    try (BatchApplier applier = lab.applier(0)) {
      putOnSource(0, 9, 0);
      List<RowChange> changes = new ArrayList<>();
      sourceRows().forEach(row -> changes.add(new RowChange(schema, null, row)));
      putOnSource(0, 9, 1);
      for (Row row : sourceRows()) {
        changes.add(new RowChange(schema, schema.matchOf(row), row));
      }
      for (Row row : sourceRows()) {
        changes.add(new RowChange(schema, schema.matchOf(row), withUnchanged(row, 2)));
      }
      applier.apply(lab.window(new Round.Ordered(List.of(), changes)));
      assertEqual();
    }
  }

  @Test
  void withoutAKey() throws SQLException {
    RowSchema keyless =
        new RowSchema(
            schema.table(),
            schema.columns().stream()
                .map(column -> new Column(column.name(), column.type(), true, false))
                .toList());
    lab.run("ALTER TABLE dst.t DROP CONSTRAINT t_pkey");
    try (BatchApplier applier = lab.applier(0)) {
      for (int rows : new int[] {9, 501}) {
        putOnSource(0, rows, 0);
        List<Copies> copies = new ArrayList<>();
        sourceRows().forEach(row -> copies.add(new Copies(row, 1)));
        applier.apply(
            lab.window(net(new TableChanges.Multiset(keyless, List.of(), List.of(), copies))));
        assertEqual();
        applier.apply(
            lab.window(net(new TableChanges.Multiset(keyless, copies, List.of(), List.of()))));
        assertThat(lab.rows("SELECT count(*) FROM dst.t")).containsExactly("0");
        lab.run("DELETE FROM src.t");
      }
    }
  }
}
