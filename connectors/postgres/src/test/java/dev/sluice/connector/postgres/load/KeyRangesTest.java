package dev.sluice.connector.postgres.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.ParallelLoad;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class KeyRangesTest {
  private static final TableId TABLE = new TableId("app", "t");

  private static EmbeddedPostgres postgres;
  private static Connection connection;

  @BeforeAll
  static void start() throws SQLException {
    postgres = EmbeddedPostgres.start();
    connection = postgres.connect("postgres");
    run("SET search_path TO pg_catalog", "CREATE SCHEMA app");
  }

  @AfterAll
  static void stop() throws SQLException {
    connection.close();
    postgres.close();
  }

  @Test
  void everyRowIsInExactlyOneRange() throws SQLException {
    Random random = new Random(Long.getLong("sluice.seed", 20261122L));
    String[] types = {
      "integer", "text", "text COLLATE \"C\"", "numeric(6,2)", "character(3)", "date", "boolean"
    };
    for (int round = 0; round < 60; round++) {
      int count = 1 + random.nextInt(3);
      boolean nulls = random.nextInt(3) > 0;
      List<String> columns = new ArrayList<>();
      List<String> definitions = new ArrayList<>();
      List<String> kinds = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        String type = types[random.nextInt(types.length)];
        columns.add("c " + i);
        kinds.add(type);
        definitions.add("\"c " + i + "\" " + type + (nulls ? "" : " NOT NULL"));
      }
      run(
          "DROP TABLE IF EXISTS app.t",
          "CREATE TABLE app.t (" + String.join(", ", definitions) + ")");
      for (int row = 0; row < 80; row++) {
        List<String> values = new ArrayList<>();
        for (String kind : kinds) {
          values.add(nulls && random.nextInt(4) == 0 ? "NULL" : "'" + value(kind, random) + "'");
        }
        run("INSERT INTO app.t VALUES (" + String.join(", ", values) + ")");
      }
      ParallelLoad.Ranges rule =
          new ParallelLoad.Ranges("7", columns, rising(columns, kinds, random));

      KeyRanges ranges = new KeyRanges(connection, TABLE, rule);
      assertThat(ranges.problems()).as("%s", rule).isEmpty();

      assertThat(ranges.ranges()).hasSize(rule.boundaries().size() + 1);
      StringBuilder counts = new StringBuilder("0");
      for (SegmentRange range : ranges.ranges()) {
        counts
            .append(" + ((")
            .append(SqlRange.conditionOf(range).orElseThrow())
            .append(") IS TRUE)::int");
      }
      assertThat(texts("SELECT DISTINCT " + counts + " FROM app.t"))
          .as("%s", rule)
          .containsExactly("1");
    }
  }

  /** Since PostgreSQL 18 the catalog says NOT NULL of a column that has a NULL all the same. */
  @Test
  void aNullOlderThanANotValidatedConstraintIsInARange() throws SQLException {
    run(
        "DROP TABLE IF EXISTS app.t",
        "CREATE TABLE app.t (a integer)",
        "INSERT INTO app.t VALUES (1), (NULL), (20)",
        "ALTER TABLE app.t ADD CONSTRAINT a_given NOT NULL a NOT VALID");

    KeyRanges ranges =
        new KeyRanges(
            connection, TABLE, new ParallelLoad.Ranges("7", List.of("a"), List.of(List.of("10"))));
    assertThat(ranges.problems()).isEmpty();

    List<String> counts = new ArrayList<>();
    for (SegmentRange range : ranges.ranges()) {
      counts.addAll(
          texts("SELECT count(*) FROM app.t WHERE " + SqlRange.conditionOf(range).orElseThrow()));
    }
    assertThat(counts).containsExactly("1", "2");
  }

  /** Midnight between two segments, and a row would be in none of their ranges. */
  @Test
  void aBoundaryWhoseValueChangesWithTimeIsRefused() throws SQLException {
    run("DROP TABLE IF EXISTS app.t", "CREATE TABLE app.t (a date, b timestamptz, c text)");

    assertThat(problems(List.of("a"), List.of(List.of("2026-01-01"), List.of("Today"))))
        .singleElement()
        .asString()
        .contains("rule 7", "'Today'", "column a");
    assertThat(problems(List.of("b"), List.of(List.of("04:05 yesterday")))).hasSize(1);
    assertThat(problems(List.of("b"), List.of(List.of("now")))).hasSize(1);
    assertThat(problems(List.of("c", "a"), List.of(List.of("today", "infinity")))).isEmpty();
  }

  @Test
  void anUnusableRuleIsReportedWithItsNumber() throws SQLException {
    run("DROP TABLE IF EXISTS app.t", "CREATE TABLE app.t (a integer, b text, c json)");

    assertThat(problems(List.of("a"), List.of(List.of("10"), List.of("ten"))))
        .singleElement()
        .asString()
        .contains("rule 7")
        .contains("'ten'")
        .contains("integer");
    assertThat(problems(List.of("a", "b"), List.of(List.of("10", "x"), List.of("10", "x"))))
        .singleElement()
        .asString()
        .contains("is not above it");
    assertThat(problems(List.of("nope"), List.of(List.of("1"))))
        .singleElement()
        .asString()
        .contains("no column nope");
    assertThat(problems(List.of("c"), List.of(List.of("1"), List.of("2"))))
        .singleElement()
        .asString()
        .contains("have no order");
    assertThat(problems(List.of("c"), List.of(List.of("1"))))
        .singleElement()
        .asString()
        .contains("no order");
  }

  private static List<Problem> problems(List<String> columns, List<List<String>> boundaries)
      throws SQLException {
    return new KeyRanges(connection, TABLE, new ParallelLoad.Ranges("7", columns, boundaries))
        .problems();
  }

  /** In the server's own order, so that the test takes no view on it. */
  private static List<List<String>> rising(List<String> columns, List<String> kinds, Random random)
      throws SQLException {
    run("CREATE TEMP TABLE edges (LIKE app.t)");
    for (int i = 0; i < 1 + random.nextInt(6); i++) {
      List<String> values = new ArrayList<>();
      kinds.forEach(kind -> values.add("'" + value(kind, random) + "'"));
      run("INSERT INTO edges VALUES (" + String.join(", ", values) + ")");
    }
    String names =
        String.join(", ", columns.stream().map(column -> TableId.quote(column)).toList());
    List<List<String>> boundaries = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT DISTINCT " + names + " FROM edges ORDER BY " + names)) {
      while (rows.next()) {
        List<String> boundary = new ArrayList<>();
        for (int i = 1; i <= columns.size(); i++) {
          boundary.add(rows.getString(i));
        }
        boundaries.add(boundary);
      }
    }
    run("DROP TABLE edges");
    return boundaries;
  }

  private static String value(String kind, Random random) {
    return switch (kind) {
      case "integer" -> Integer.toString(random.nextInt(7) - 3);
      case "numeric(6,2)" -> random.nextInt(3) + "." + random.nextInt(3);
      case "date" -> "2026-11-0" + (1 + random.nextInt(5));
      case "boolean" -> Boolean.toString(random.nextBoolean());
      default -> new String[] {"", "a", "B", "b", "é", "aa", "A b"}[random.nextInt(7)];
    };
  }

  private static List<String> texts(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    }
  }

  private static void run(String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
