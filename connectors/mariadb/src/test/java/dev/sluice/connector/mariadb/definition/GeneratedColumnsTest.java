package dev.sluice.connector.mariadb.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** A generated column that is made has the same value on both servers in each row. */
class GeneratedColumnsTest {
  private static final int ROWS = 150;
  private static final int COLUMNS = 40;

  private static final String TABLE =
      """
      CREATE TABLE t (id int PRIMARY KEY, tiny tinyint, small smallint unsigned, medium mediumint,
        plain int unsigned, big bigint, money decimal(10,2), rate decimal(8,5) unsigned,
        needed int NOT NULL, name varchar(20), city varchar(15) CHARACTER SET latin1,
        code varchar(5) NOT NULL) CHARACTER SET utf8mb4
      """;

  private static final List<String> BASE =
      List.of(
          "id", "tiny", "small", "medium", "plain", "big", "money", "rate", "needed", "name",
          "city", "code");

  private static final List<String> MODES =
      List.of(
          "",
          "STRICT_ALL_TABLES",
          "NO_UNSIGNED_SUBTRACTION",
          "PAD_CHAR_TO_FULL_LENGTH",
          "STRICT_TRANS_TABLES,NO_UNSIGNED_SUBTRACTION,ANSI_QUOTES,PIPES_AS_CONCAT");

  private static EmbeddedPostgres postgres;

  @BeforeContainer
  static void start() {
    postgres = EmbeddedPostgres.start();
  }

  @AfterContainer
  static void stop() {
    postgres.close();
  }

  @Property(tries = 6, shrinking = ShrinkingMode.OFF)
  void eachGeneratedColumnHasTheSourcesValueInEachRow(@ForAll long seed) throws SQLException {
    Random random = new Random(seed);
    try (SourceDatabase source = new SourceDatabase(TABLE);
        Connection target = postgres.connect();
        Statement statement = target.createStatement()) {
      addColumns(source, new RandomExpressions(random), random);
      dropOrdinary(source);
      insert(source, random);
      List<String> made = make(source, statement);
      assertThat(made).as("generated on both sides").hasSizeGreaterThan(COLUMNS / 12);
      List<List<String>> rows = rows(source.connection, source.name, BASE);
      assertThat(rows).hasSizeGreaterThan(ROWS / 2);
      copy(target, source.name, rows);
      List<String> compared = new ArrayList<>(List.of("id"));
      compared.addAll(made);
      List<List<String>> expected = rows(source.connection, source.name, compared);
      List<List<String>> found = rows(target, source.name, compared);
      for (int row = 0; row < expected.size(); row++) {
        for (int column = 0; column < compared.size(); column++) {
          assertThat(found.get(row).get(column))
              .as("%s of %s", expressions(source, compared.get(column)), rows.get(row))
              .isEqualTo(expected.get(row).get(column));
        }
      }
    }
  }

  @Example
  void whatMayDifferIsAnOrdinaryColumnWithTheReason() throws SQLException {
    try (SourceDatabase source =
        new SourceDatabase(
            """
            CREATE TABLE t (id int, n int, u int unsigned, big bigint, d double, flag char(2), wide varchar(30) AS (concat(name, 'é')),
              name varchar(20), at datetime,
              total int AS (n * 2 + 1), sum_of_sum int AS (total + 1), lower_name varchar(20) AS (lower(name)),
              half int AS (n / 2), doubled double AS (d * 2), below int AS (u - 5), more bigint AS (big + 1),
              same int AS (name = 'a'), digits varchar(30) AS (concat(n, name)), long_name varchar(20) AS (concat(name, 'x')),
              flagged varchar(30) AS (concat(flag, name)), days int AS (dayofmonth(at)),
              copied datetime AS (at), in_key int AS (id + 1) STORED, slash varchar(30) AS (concat(name, '\\\\')),
              UNIQUE KEY (in_key), UNIQUE KEY by_id (id))
            """)) {
      GeneratedColumns found = GeneratedColumns.of(table(source));
      assertThat(found.expressions()).containsOnlyKeys("total", "in_key");
      assertThat(found.reasons())
          .hasEntrySatisfying("sum_of_sum", reason -> assertThat(reason).contains("it uses total"))
          .hasEntrySatisfying("lower_name", reason -> assertThat(reason).contains("the function l"))
          .hasEntrySatisfying("half", reason -> assertThat(reason).contains("signs"))
          .hasEntrySatisfying("doubled", reason -> assertThat(reason).contains("of type double"))
          .hasEntrySatisfying("below", reason -> assertThat(reason).contains("below zero"))
          .hasEntrySatisfying("more", reason -> assertThat(reason).contains("too large for BIGINT"))
          .hasEntrySatisfying("same", reason -> assertThat(reason).contains("collation"))
          .hasEntrySatisfying("digits", reason -> assertThat(reason).contains("number for a text"))
          .hasEntrySatisfying("long_name", reason -> assertThat(reason).contains("21 characters"))
          .hasEntrySatisfying("flagged", reason -> assertThat(reason).contains("char(2)"))
          .hasEntrySatisfying("days", reason -> assertThat(reason).contains("of type datetime"))
          .hasEntrySatisfying("copied", reason -> assertThat(reason).contains("datetime"))
          .containsKeys("slash", "wide");
    }
  }

  @Example
  void aColumnOfTheKeyAndOneThatMustBecomeOrdinaryAreNotGenerated() throws SQLException {
    try (SourceDatabase source =
            new SourceDatabase(
                """
                CREATE TABLE t (a int NOT NULL, other int AS (a + 1) STORED, twice int AS (a * 2) STORED,
                  PRIMARY KEY (a))
                """);
        Connection target = postgres.connect();
        Statement statement = target.createStatement()) {
      assertThat(make(source, statement, Set.of("other"))).containsExactly("twice");
    }
  }

  private static void addColumns(
      SourceDatabase source, RandomExpressions expressions, Random random) throws SQLException {
    try (Statement statement = source.connection.createStatement()) {
      for (int i = 0; i < COLUMNS; i++) {
        statement.execute("SET SESSION sql_mode = ''");
        try {
          statement.execute(
              "ALTER TABLE t ADD COLUMN g%d %s %s"
                  .formatted(i, expressions.column(), random.nextBoolean() ? "STORED" : "VIRTUAL"));
        } catch (SQLException e) {
          // Some expressions are refused by the server, such as a constant of another character
          // set.
          removeRefused(statement, "g" + i);
        }
      }
    }
  }

  /**
   * MariaDB may have added the column nevertheless. Then the first use of the table fails whenever
   * the server has loaded its definition.
   */
  private static void removeRefused(Statement statement, String column) {
    for (String sql : List.of("SELECT id FROM t LIMIT 0", "ALTER TABLE t DROP COLUMN " + column)) {
      try {
        statement.execute(sql);
      } catch (SQLException e) {
        assertThat(e.getMessage()).containsAnyOf("Illegal mix of collations", "Can't DROP");
      }
    }
  }

  /** Most of them are an error of the server in some row. */
  private static void dropOrdinary(SourceDatabase source) throws SQLException {
    GeneratedColumns.of(table(source))
        .reasons()
        .keySet()
        .forEach(column -> source.execute("ALTER TABLE t DROP COLUMN " + column));
  }

  private static void insert(SourceDatabase source, Random random) throws SQLException {
    try (Statement statement = source.connection.createStatement()) {
      for (int id = 1; id <= ROWS; id++) {
        statement.execute(
            "SET SESSION sql_mode = '%s'"
                .formatted(
                    MODES.get(Math.max(0, random.nextInt(3 * MODES.size()) - 2 * MODES.size()))));
        String row =
            Arrays.asList(
                    String.valueOf(id),
                    number(random, -128, 127, true),
                    number(random, 0, 65_535, true),
                    number(random, -8_388_608, 8_388_607, true),
                    number(random, 0, 4_294_967_295L, true),
                    number(random, Long.MIN_VALUE, Long.MAX_VALUE, true),
                    decimal(random, 8, 2, true),
                    decimal(random, 3, 5, false),
                    number(random, Integer.MIN_VALUE, Integer.MAX_VALUE, false),
                    text(random, 20, "aÄ€z'  \\\\", true),
                    text(random, 15, "aÄz ", true),
                    text(random, 5, "ab ", false))
                .stream()
                .collect(Collectors.joining(", "));
        try {
          statement.execute(
              "INSERT %s INTO t (%s) VALUES (%s)"
                  .formatted(random.nextInt(3) == 0 ? "IGNORE" : "", String.join(", ", BASE), row));
        } catch (SQLException e) {
          // A strict session refuses what does not fit.
          continue;
        }
      }
    }
  }

  private static String number(Random random, long least, long most, boolean nullable) {
    return switch (random.nextInt(6)) {
      case 0 -> nullable ? "NULL" : "0";
      case 1 -> String.valueOf(least);
      case 2 -> String.valueOf(most);
      case 3 -> String.valueOf(Math.max(least, Math.min(most, random.nextInt(7) - 3)));
      default ->
          String.valueOf(Math.max(least, Math.min(most, random.nextLong() >> random.nextInt(64))));
    };
  }

  private static String decimal(Random random, int whole, int scale, boolean signed) {
    if (random.nextInt(6) == 0) {
      return "NULL";
    }
    StringBuilder text = new StringBuilder(signed && random.nextBoolean() ? "-" : "");
    IntStream.range(0, random.nextInt(whole) + 1)
        .forEach(i -> text.append(random.nextInt(3) == 0 ? 9 : random.nextInt(10)));
    text.append('.');
    IntStream.range(0, scale)
        .forEach(i -> text.append(random.nextBoolean() ? 5 : random.nextInt(10)));
    return text.toString();
  }

  private static String text(Random random, int longest, String characters, boolean nullable) {
    if (nullable && random.nextInt(6) == 0) {
      return "NULL";
    }
    StringBuilder text = new StringBuilder();
    IntStream.range(0, random.nextInt(longest + 1))
        .forEach(i -> text.append(characters.charAt(random.nextInt(characters.length()))));
    return "'" + text.toString().replace("\\", "").replace("'", "''") + "'";
  }

  private static List<String> make(SourceDatabase source, Statement target) throws SQLException {
    return make(source, target, Set.of());
  }

  /** Makes the table, and returns its generated columns. */
  private static List<String> make(SourceDatabase source, Statement target, Set<String> ordinary)
      throws SQLException {
    DefinitionRequest request =
        new DefinitionRequest(
            List.of(source.table("t")),
            name -> name,
            16,
            false,
            Set.of(),
            (table, column) -> ordinary.contains(column));
    var definitions = source.source().reader().definitions(request);
    target.execute("DROP SCHEMA IF EXISTS \"%s\" CASCADE".formatted(source.name));
    target.execute("CREATE SCHEMA \"%s\"".formatted(source.name));
    for (DefinitionStatement each : definitions.tables()) {
      target.execute(each.sql());
    }
    List<String> made = new ArrayList<>();
    try (ResultSet columns =
        target.executeQuery(
            "SELECT attname FROM pg_attribute WHERE attrelid = '\"%s\".t'::regclass AND attgenerated = 's' ORDER BY attnum"
                .formatted(source.name))) {
      while (columns.next()) {
        made.add(columns.getString(1));
      }
    }
    return made;
  }

  private static void copy(Connection target, String schema, List<List<String>> rows)
      throws SQLException {
    String values =
        BASE.stream()
            .map(column -> column.matches("name|city|code") ? "?" : "?::text::numeric")
            .collect(Collectors.joining(", "));
    try (PreparedStatement insert =
        target.prepareStatement(
            "INSERT INTO \"%s\".t (%s) VALUES (%s)"
                .formatted(schema, String.join(", ", BASE), values))) {
      for (List<String> row : rows) {
        for (int i = 0; i < row.size(); i++) {
          insert.setString(i + 1, row.get(i));
        }
        insert.execute();
      }
    }
  }

  private static List<List<String>> rows(Connection connection, String schema, List<String> columns)
      throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT %s FROM %s.t ORDER BY id".formatted(String.join(", ", columns), schema))) {
      while (found.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns.size(); i++) {
          row.add(found.getString(i));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static String expressions(SourceDatabase source, String column) throws SQLException {
    return table(source)
        .column(column)
        .map(each -> each.columnType() + " " + each.generation().orElse(""))
        .orElse(column);
  }

  private static MariadbTable table(SourceDatabase source) throws SQLException {
    return DatabaseTables.read(source.connection, source.name)
        .table(source.table("t"))
        .orElseThrow();
  }
}
