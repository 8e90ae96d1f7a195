package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.source.SourceChecks;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.server.ValuePolicy.ImpossibleDate;
import dev.sluice.connector.mariadb.server.ValuePolicy.ZeroCharacter;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Dates and texts that PostgreSQL does not have, and what the task file says of them. */
class ZeroValuesTest {
  private static final ValuePolicy TO_NULL =
      new ValuePolicy(ImpossibleDate.NULL, ZeroCharacter.REFUSE);
  private static final ValuePolicy REPLACED =
      new ValuePolicy(ImpossibleDate.NULL, ZeroCharacter.REMOVE);

  private static final String ANY_DATE = "SET sql_mode = 'ALLOW_INVALID_DATES'";

  private static final String TABLE =
      """
      CREATE TABLE t (id INT PRIMARY KEY, d DATE NOT NULL, dt DATETIME(3) NOT NULL,
        ts TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00', v VARCHAR(20), u VARCHAR(20)
        CHARACTER SET ucs2, e ENUM('a', 'b\\0'), f SET('c\\0', 'd'))
      """;

  private static final String[] ROWS = {
    "SET time_zone = '+00:00'",
    "INSERT INTO t VALUES (1, '2024-02-29', '2024-02-29 10:00:00.5', '2024-02-29 10:00:00', 'ab', 'ü', 'a', 'd')",
    "INSERT INTO t VALUES (2, '0000-00-00', '0000-00-00', '0000-00-00', 'a\\0b', 'ü\\0', 2, 3)",
    "INSERT INTO t VALUES (3, '2020-00-15', '2020-01-00 10:00:00', '2024-01-01', '\\0', '\\0\\0', NULL, NULL)",
    "INSERT INTO t VALUES (4, '2026-02-31', '2026-04-31 23:59:59', '2024-01-01', '', '', NULL, '')",
    "INSERT INTO t VALUES (5, '0000-01-01', '9999-12-31', '2024-01-01', NULL, NULL, NULL, NULL)"
  };

  private static final String[] EXPECTED = {
    "1, 2024-02-29, 2024-02-29 10:00:00.5, 2024-02-29 10:00:00+00, ab, ü, a, d",
    "2, null, null, null, ab, ü, b, c,d",
    "3, null, null, 2024-01-01 00:00:00+00, , , null, null",
    "4, null, null, 2024-01-01 00:00:00+00, , , null, ",
    "5, null, 9999-12-31 00:00:00, 2024-01-01 00:00:00+00, null, null, null, null"
  };

  private static EmbeddedPostgres postgres;

  @BeforeAll
  static void startTarget() {
    postgres = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stopTarget() {
    postgres.close();
  }

  @Test
  void loadAndLogMakeTheSameOfThem() throws Exception {
    try (LogFixture fixture = new LogFixture(ANY_DATE, TABLE).with(REPLACED).capturing();
        Connection target = postgres.connect();
        JournalReader reader = fixture.reader()) {
      fixture.execute(ROWS);
      Map<String, List<String>> loaded =
          new LoadedValues(fixture.database, "t", target, REPLACED).rows();
      List<JournalReader.Transaction> logged = reader.read(EXPECTED.length);
      for (int i = 0; i < EXPECTED.length; i++) {
        List<String> row = loaded.get(String.valueOf(i + 1));
        assertThat(row.toString()).isEqualTo("[" + EXPECTED[i] + "]");
        assertThat(MariadbCaptureTest.texts(logged.get(i)))
            .containsExactly(
                "+("
                    + String.join(
                        ", ",
                        row.stream()
                            .map(
                                value ->
                                    value == null
                                        ? "NULL"
                                        : value.matches("\\d") ? value : "'" + value + "'")
                            .toList())
                    + ")");
      }
    }
  }

  @Test
  void aLoadNamesTheTableTheColumnTheRowAndTheSetting() throws Exception {
    try (LogFixture fixture = new LogFixture(ANY_DATE, TABLE);
        Connection target = postgres.connect()) {
      fixture.execute(ROWS);
      assertThatThrownBy(() -> new LoadedValues(fixture.database, "t", target).rows())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("table " + fixture.table("t") + ", column d")
          .hasMessageContaining("the date 0000-00-00 in the row with id = 2")
          .hasMessageContaining("zero-dates: to-null")
          .hasMessageContaining("correct the rows on the source. Then start the task again")
          .hasMessageNotContaining("resync");
      assertThatThrownBy(() -> new LoadedValues(fixture.database, "t", target, TO_NULL).rows())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("table " + fixture.table("t") + ", column v")
          .hasMessageContaining("a text with the character of code 0 in the row with id = 2")
          .hasMessageContaining("zero-characters: remove");
    }
  }

  @Test
  void inAKeyTheyAreRefusedWhateverTheTaskFileSays() throws Exception {
    try (LogFixture fixture =
            new LogFixture(
                    ANY_DATE,
                    "CREATE TABLE t (d DATE, n VARCHAR(20) CHARACTER SET utf8mb4, PRIMARY KEY (d, n))")
                .with(REPLACED)
                .capturing();
        Connection target = postgres.connect()) {
      fixture.execute("INSERT INTO t VALUES ('2020-01-01', 'a\\0b')");
      assertThat(fixture.failure()).hasMessageContaining("column n");
      assertThatThrownBy(() -> new LoadedValues(fixture.database, "t", target, REPLACED).rows())
          .hasMessageContaining("column n");
      fixture.execute("DELETE FROM t", "INSERT INTO t VALUES ('0000-00-00', '')");
      assertThatThrownBy(() -> new LoadedValues(fixture.database, "t", target, REPLACED).rows())
          .hasMessageContaining("the date 0000-00-00 in the row with d = 0000-00-00, n = ");
    }
  }

  @Test
  void aDateThatMayBecomeNullIsMadeSoAndStaysSo() {
    try (LogFixture fixture =
            LogFixture.fixture("CREATE TABLE t (id INT PRIMARY KEY, d DATE NOT NULL, n INT)")
                .with(REPLACED)
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, '2020-01-01', 1)",
          "ALTER TABLE t ADD COLUMN dt DATETIME NOT NULL DEFAULT '2020-01-01 00:00:00', ADD COLUMN m"
              + " INT NOT NULL DEFAULT 3");
      List<JournalReader.Transaction> read = reader.read(2);
      Definition definition = (Definition) read.get(1).changes().get(0);
      assertThat(definition.changes().changes().get(0).after().columns().stream())
          .filteredOn(ColumnDefinition::notNull)
          .extracting(ColumnDefinition::name)
          .containsExactly("id", "m");
    }
  }

  @Test
  void aMadeTableAcceptsNullWhereItReplacesADate() {
    try (SourceDatabase database =
        new SourceDatabase(
            ANY_DATE,
            "CREATE TABLE t (k DATE, d DATE NOT NULL DEFAULT '0000-00-00', n INT NOT NULL,"
                + " PRIMARY KEY (k))")) {
      DefinitionRequest request =
          new DefinitionRequest(List.of(database.table("t")), name -> name, 16, false);
      assertThat(database.source(REPLACED).reader().definitions(request).tables())
          .anySatisfy(
              made ->
                  assertThat(made.sql())
                      .endsWith("(\"k\" date NOT NULL, \"d\" date, \"n\" integer NOT NULL)"));
      assertThat(database.source().reader().definitions(request).tables())
          .anySatisfy(made -> assertThat(made.sql()).contains("\"d\" date NOT NULL"));
      assertThat(
              database.source(REPLACED).catalog(any -> true).published().get(0).columns().stream()
                  .filter(column -> column.getsNulls())
                  .map(column -> column.name()))
          .containsExactly("d");
    }
  }

  @Test
  void aCheckNamesWhatAnIndexFindsAndWhatTheDefinitionsTell() {
    try (SourceDatabase database =
        new SourceDatabase(
            ANY_DATE,
            "CREATE TABLE t (id INT PRIMARY KEY, d DATE, dt DATETIME, ts TIMESTAMP NULL,"
                + " s DATE NOT NULL DEFAULT '0000-00-00', KEY (d, id), KEY (dt), KEY (ts))",
            "CREATE TABLE k (d DATE PRIMARY KEY)",
            "INSERT INTO t VALUES (1, '2020-01-01', '2020-01-01', '2020-01-01', '0000-00-00')",
            "INSERT INTO k VALUES ('2020-01-01')")) {
      assertThat(problems(database, ValuePolicy.REFUSE)).isEqualTo("[]");
      assertThat(notes(database, ValuePolicy.REFUSE))
          .contains("the default of [s] is a date that PostgreSQL does not have")
          .doesNotContain("accept NULL on the target");
      assertThat(notes(database, TO_NULL))
          .contains("the columns [s] are NOT NULL on the source, and accept NULL")
          .doesNotContain("the default of", "NO_ZERO_DATE");
      database.execute(
          "INSERT INTO t VALUES (2, '0000-00-00', '0000-00-00 10:00:00', '0000-00-00', '2020-01-01')",
          "INSERT INTO k VALUES ('0000-00-00')");
      assertThat(problems(database, ValuePolicy.REFUSE))
          .contains(
              "table " + database.table("t") + ", column d",
              "table " + database.table("t") + ", column dt",
              "table " + database.table("t") + ", column ts",
              "table " + database.table("k") + ", column d",
              "the date 0000-00-00",
              "zero-dates: to-null");
      assertThat(problems(database, TO_NULL))
          .contains("table " + database.table("k") + ", column d")
          .doesNotContain("table " + database.table("t"));
      assertThat(
              database
                  .source()
                  .checks()
                  .problemsOfBegun(TableMappings.EVERYTHING, any -> true)
                  .toString())
          .isEqualTo("[]");
      assertThat(
              database
                  .source(ValuePolicy.REFUSE)
                  .checks()
                  .problems(TableMappings.EVERYTHING, any -> true, true)
                  .toString())
          .as("without a load")
          .isEqualTo("[]");
    }
  }

  @Test
  void aKeyThatARuleMakesOfADateIsRefusedIfTheDateMayBecomeNull() {
    try (SourceDatabase database =
        new SourceDatabase("CREATE TABLE t (id INT PRIMARY KEY, d DATE NOT NULL)")) {
      String locator =
          "\"object-locator\": {\"schema-name\": \"%s\", \"table-name\": \"t\"}"
              .formatted(database.name);
      TableMappings mappings =
          TableMappings.parse(
              "mappings",
              ("{\"rules\": [{\"rule-type\": \"selection\", \"rule-id\": \"1\","
                      + " \"rule-name\": \"1\", \"rule-action\": \"include\", %1$s},"
                      + " {\"rule-type\": \"transformation\", \"rule-id\": \"2\","
                      + " \"rule-name\": \"2\", \"rule-action\": \"define-primary-key\","
                      + " \"rule-target\": \"table\", %1$s, \"primary-key-def\":"
                      + " {\"name\": \"k\", \"columns\": [\"id\", \"d\"]}}]}")
                  .formatted(locator),
              Optional.empty());
      assertThat(problems(database, TO_NULL, mappings))
          .contains("rule 2 makes [id, d] the primary key", "zero-dates: to-null");
      assertThat(problems(database, ValuePolicy.REFUSE, mappings))
          .doesNotContain("the primary key");
    }
  }

  private static String problems(SourceDatabase database, ValuePolicy values) {
    return problems(database, values, TableMappings.EVERYTHING);
  }

  private static String problems(
      SourceDatabase database, ValuePolicy values, TableMappings mappings) {
    SourceChecks checks = database.source(values).checks();
    List<TableId> tables =
        database.source().catalog(any -> true).tables().stream().map(CatalogTable::table).toList();
    return Stream.of(
            checks.problems(mappings, any -> true, true),
            checks.problemsOfLoadRules(mappings, tables))
        .flatMap(List::stream)
        .toList()
        .toString();
  }

  private static String notes(SourceDatabase database, ValuePolicy values) {
    return database.source(values).checks().notes(TableMappings.EVERYTHING).toString();
  }
}
