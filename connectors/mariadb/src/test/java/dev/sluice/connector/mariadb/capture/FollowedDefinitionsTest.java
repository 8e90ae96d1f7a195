package dev.sluice.connector.mariadb.capture;

import static dev.sluice.connector.mariadb.capture.LogFixture.fixture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.connector.mariadb.Servers;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements of DDL that are followed, in their place among the rows. */
class FollowedDefinitionsTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY, v INT)";

  private static DefinitionChange change(Transaction transaction) {
    return HazardsTest.onlyChange(transaction);
  }

  private static List<String> columns(TableDefinition definition) {
    return definition.columns().stream()
        .map(
            column ->
                "%d %s %s%s%s"
                    .formatted(
                        column.number(),
                        column.name(),
                        column.type(),
                        column.notNull() ? " NOT NULL" : "",
                        column.existing() == null ? "" : " older " + column.existing()))
        .toList();
  }

  @Test
  void columnsAreAddedDroppedAndRenamedBetweenTheRows() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "ALTER TABLE t ADD COLUMN w VARCHAR(9) NOT NULL DEFAULT 'it''s' FIRST",
          "INSERT INTO t VALUES ('a', 2, 2)",
          "ALTER TABLE t RENAME COLUMN V TO `the v`, DROP COLUMN w, ADD x DECIMAL(6,2) NOT NULL",
          "INSERT INTO t VALUES (3, 3, 3.5)",
          "alter table `t` change `the v` v bigint null comment 'a, b' after id",
          "INSERT INTO t VALUES (4, 4000000000, 4)");
      List<Transaction> read = reader.read(7);
      assertThat(MariadbCaptureTest.texts(read.get(0))).containsExactly("+(1, 1)");
      DefinitionChange added = change(read.get(1));
      assertThat(added.obstacle()).isNull();
      assertThat(columns(added.before())).containsExactly("1 id integer NOT NULL", "2 v integer");
      assertThat(columns(added.after()))
          .containsExactly(
              "1 id integer NOT NULL",
              "2 v integer",
              "3 w character varying(9) NOT NULL older it's");
      assertThat(added.after().columns().get(2).defaultValue()).isEqualTo("'it''s'");
      assertThat(added.after().keyNames()).containsExactly("id");
      assertThat(MariadbCaptureTest.texts(read.get(2))).containsExactly("+('a', 2, 2)");
      DefinitionChange several = change(read.get(3));
      assertThat(columns(several.before()))
          .containsExactly(
              "1 id integer NOT NULL", "2 v integer", "3 w character varying(9) NOT NULL");
      assertThat(columns(several.after()))
          .containsExactly(
              "1 id integer NOT NULL", "2 the v integer", "4 x numeric(6,2) NOT NULL older 0.00");
      assertThat(MariadbCaptureTest.texts(read.get(4))).containsExactly("+(3, 3, '3.50')");
      assertThat(columns(change(read.get(5)).after()))
          .containsExactly("1 id integer NOT NULL", "2 v bigint", "3 x numeric(6,2) NOT NULL");
      assertThat(MariadbCaptureTest.texts(read.get(6))).containsExactly("+(4, 4000000000, '4.00')");
    }
  }

  @Test
  void aDroppedTableIsJournaledWithAllOfItsStatementAndAnotherOneOfItsNameIsNew() {
    try (LogFixture fixture =
            fixture(TABLE, "CREATE TABLE u (id INT PRIMARY KEY)", "CREATE TABLE v (a INT)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "DROP TABLE IF EXISTS t, u",
          "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY)",
          "INSERT INTO t VALUES (2)");
      List<Transaction> read = reader.read(4);
      List<DefinitionChange> drops =
          ((Definition) read.get(1).changes().get(0)).changes().changes();
      assertThat(drops).allMatch(DefinitionChange::drops);
      assertThat(drops.stream().map(DefinitionChange::table))
          .containsExactly(fixture.table("t"), fixture.table("u"));
      assertThat(change(read.get(2)).begins()).isTrue();
      assertThat(columns(change(read.get(2)).after())).containsExactly("1 id integer NOT NULL");
      assertThat(MariadbCaptureTest.texts(read.get(3))).containsExactly("+(2)");
    }
  }

  @Test
  void oneOfTwoNamesThatIsNotThereIsDroppedTooAndTheStatementFailed() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      try {
        fixture.execute("DROP TABLE t, nothing");
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("nothing");
      }
      boolean there = !fixture.values("SHOW TABLES LIKE 't'").isEmpty();
      fixture.execute(there ? "DROP TABLE t" : "DO 0");
      assertThat(change(reader.read(1).get(0)).table()).isEqualTo(fixture.table("t"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          w INT                                | null
          w INT NOT NULL                       | 0
          w TINYINT(1) DEFAULT TRUE            | 1
          w BIGINT UNSIGNED DEFAULT '7'        | 7
          w INT DEFAULT -3                     | -3
          w DECIMAL(8,3) DEFAULT 1.5           | 1.500
          w DOUBLE NOT NULL DEFAULT 0.1        | 0.1
          w FLOAT DEFAULT 2.25                 | 2.25
          w CHAR(5) DEFAULT 'ab'               | ab
          w TEXT NOT NULL                      | ''
          w VARCHAR(20) DEFAULT 'a\\\\b\\nc'   | a\\b#c
          w ENUM('no','yes') NOT NULL          | no
          w ENUM('no','yes') DEFAULT 'yes'     | yes
          w DATE DEFAULT '2024-02-29'          | 2024-02-29
          w DATETIME DEFAULT '2024-02-29 10:11:12' | 2024-02-29 10:11:12
          w TIME DEFAULT '10:11:12'            | 10:11:12
          w YEAR DEFAULT 1999                  | 1999
          w JSON                               | null
          w LONGBLOB                           | null
          w TIMESTAMP NULL                     | null
          """)
  void olderRowsHaveTheValueOfTheNewColumn(String column, String older) {
    try (LogFixture fixture = fixture(TABLE, "INSERT INTO t VALUES (1, 1)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("ALTER TABLE t ADD COLUMN " + column, "UPDATE t SET v = 2");
      List<Transaction> read = reader.read(2);
      ColumnDefinition added = change(read.get(0)).after().columns().get(2);
      String expected = older.equals("null") ? null : older.replace('#', '\n');
      assertThat(added.existing()).isEqualTo(expected);
      // The server's own value of the older row, by the log.
      RowChange row = (RowChange) read.get(1).changes().get(0);
      assertThat(row.row().text(2)).isEqualTo(expected);
      assertThat(row.schema().columns().get(2).type()).isEqualTo(added.type());
    }
  }

  @Test
  void aTimestampOfTheStatementIsTheValueOfOlderRows() {
    try (LogFixture fixture = fixture(TABLE, "INSERT INTO t VALUES (1, 1)").capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "SET time_zone = '+05:00'",
          "ALTER TABLE t ADD COLUMN w TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP",
          "UPDATE t SET v = 2");
      List<Transaction> read = reader.read(2);
      RowChange row = (RowChange) read.get(1).changes().get(0);
      assertThat(change(read.get(0)).after().columns().get(2).existing())
          .isEqualTo(row.row().text(2));
    }
  }

  @Test
  void anAlterOfTwoPhasesCountsWhereItIsDone() throws Exception {
    assumeFalse(Servers.areMysql(), "MySQL logs an ALTER once");
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "SET SESSION binlog_alter_two_phase = 1",
          "ALTER TABLE t ADD COLUMN w INT DEFAULT 3",
          "INSERT INTO t VALUES (1, 1, 1)");
      List<Transaction> read = reader.read(2);
      assertThat(change(read.get(0)).after().columns()).hasSize(3);
      assertThat(MariadbCaptureTest.texts(read.get(1))).containsExactly("+(1, 1, 1)");
      // One that is given up.
      fixture.execute("INSERT INTO t VALUES (2, 1, 1)");
      try {
        fixture.execute("ALTER TABLE t ADD COLUMN x INT NOT NULL, ADD UNIQUE (v)");
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("Duplicate");
      }
      fixture.execute("INSERT INTO t VALUES (3, 3, 3)");
      List<Transaction> after = reader.read(2);
      assertThat(MariadbCaptureTest.texts(after.get(0))).containsExactly("+(2, 1, 1)");
      assertThat(MariadbCaptureTest.texts(after.get(1))).containsExactly("+(3, 3, 3)");
    }
  }

  @Test
  void aStartBeforeStatementsFindsTheColumnsOfThatPlaceInTheLog() throws Exception {
    try (LogFixture fixture =
        fixture(TABLE, "CREATE TABLE quiet (id INT PRIMARY KEY)", "FLUSH BINARY LOGS")) {
      fixture.execute("CREATE TABLE told (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1, 1)");
      Position start = fixture.endPosition();
      fixture.execute(
          "ALTER TABLE t RENAME COLUMN V TO w, ADD COLUMN x INT DEFAULT 5",
          "INSERT INTO t VALUES (2, 2, 2)",
          "ALTER TABLE t DROP COLUMN w",
          "INSERT INTO t VALUES (3, 3)",
          "ALTER TABLE quiet ADD COLUMN x INT",
          "ALTER TABLE told ADD COLUMN x INT");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        List<Transaction> read = reader.read(6);
        assertThat(columns(change(read.get(0)).before()))
            .containsExactly("1 id integer NOT NULL", "2 v integer");
        assertThat(columns(change(read.get(0)).after()))
            .containsExactly("1 id integer NOT NULL", "2 w integer", "3 x integer older 5");
        assertThat(MariadbCaptureTest.texts(read.get(1))).containsExactly("+(2, 2, 2)");
        assertThat(columns(change(read.get(2)).after()))
            .containsExactly("1 id integer NOT NULL", "3 x integer");
        assertThat(MariadbCaptureTest.texts(read.get(3))).containsExactly("+(3, 3)");
        // Nothing says what it had before.
        assertThat(change(read.get(4)).obstacle()).contains("are not known");
        assertThat(columns(change(read.get(5)).after()))
            .containsExactly("1 id integer NOT NULL", "2 x integer");
      }
    }
  }

  @Test
  void aStartBeforeAStatementDoesNotTakeItsResultForWhatWasBefore() throws Exception {
    try (LogFixture fixture =
        fixture("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5) NOT NULL, w INT NOT NULL)")) {
      Position start = fixture.endPosition();
      fixture.execute(
          "INSERT INTO t VALUES (1, 'a', 1)",
          "ALTER TABLE t ADD COLUMN x INT",
          "ALTER TABLE t MODIFY v VARCHAR(9) NOT NULL, MODIFY w INT",
          "INSERT INTO t VALUES (2, 'b', NULL, NULL)");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        List<Transaction> read = reader.read(4);
        DefinitionChange change = change(read.get(1));
        assertThat(columns(change.before()))
            .containsExactly(
                "1 id integer NOT NULL",
                "2 v character varying(5) NOT NULL",
                "3 w integer NOT NULL");
        assertThat(columns(change.after()))
            .containsExactly(
                "1 id integer NOT NULL",
                "2 v character varying(5) NOT NULL",
                "3 w integer NOT NULL",
                "4 x integer");
        // The catalog does not say whether a column was a generated one at that place.
        assertThat(change(read.get(2)).obstacle()).contains("may have a generated column");
        assertThat(MariadbCaptureTest.texts(read.get(3))).containsExactly("+(2, 'b', NULL, NULL)");
      }
    }
  }

  @Test
  void whatNoStatementChangedSinceTheStartIsAsInTheCatalogOnceTheLogIsRead() throws Exception {
    try (LogFixture fixture = fixture("CREATE TABLE t (id INT PRIMARY KEY, v BINARY(16))")) {
      Position start = fixture.endPosition();
      fixture.execute("INSERT INTO t VALUES (1, '1')");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        reader.read(1);
        fixture.execute("ALTER TABLE t MODIFY id BIGINT, RENAME COLUMN v TO w");
        assertThat(columns(change(reader.read(1).get(0)).after()))
            .containsExactly("1 id bigint NOT NULL", "2 w bytea");
      }
    }
  }

  @Test
  void aTypeIsNotFollowedInATableWithAGeneratedColumnWhoseValuesWouldChange() {
    try (LogFixture fixture =
            fixture(
                    "CREATE TABLE t (id INT PRIMARY KEY, price DECIMAL(8,2),"
                        + " s VARCHAR(40) AS (CONCAT(price, ' EUR')))",
                    "INSERT INTO t (id, price) VALUES (1, 1.5)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("ALTER TABLE t ADD x INT", "ALTER TABLE t MODIFY price DECIMAL(10,3)");
      List<Transaction> read = reader.read(2);
      assertThat(change(read.get(0)).obstacle()).isNull();
      assertThat(change(read.get(1)).obstacle())
          .contains("may have a generated column, whose values change with column price");
      assertThat(fixture.value("SELECT s FROM t")).isEqualTo("1.500 EUR");
    }
  }

  @Test
  void anotherNameOfAColumnLeavesTheValuesOfAGeneratedOne() {
    try (LogFixture fixture =
            fixture(
                    "CREATE TABLE t (id INT PRIMARY KEY, v INT, s INT AS (v + 1))",
                    "INSERT INTO t (id, v) VALUES (1, 1)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      boolean renamed = true;
      try {
        fixture.execute("ALTER TABLE t RENAME COLUMN v TO w, RENAME COLUMN id TO v");
      } catch (IllegalStateException e) {
        // MySQL refuses it.
        assertThat(e).hasMessageContaining("generated column");
        renamed = false;
      }
      if (renamed) {
        assertThat(change(reader.read(1).get(0)).obstacle()).isNull();
      }
      fixture.execute("UPDATE t SET %s = 7".formatted(renamed ? "w" : "v"));
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("(1)→(1, 7, 8)");
    }
  }

  @Test
  void bytesThatMayBeAUuidOrAnAddressAreReadBehindAStartAndBehindAnObstacle() throws Exception {
    try (LogFixture fixture =
        fixture("CREATE TABLE t (id INT PRIMARY KEY, a BINARY(16), b BINARY(4), c BINARY(5))")) {
      Position start = fixture.endPosition();
      String values = "REPEAT('a', 16), REPEAT('b', 4), REPEAT('c', 5)";
      fixture.execute(
          "INSERT INTO t VALUES (1, " + values + ")",
          "ALTER TABLE t CHANGE b b BINARY(4)",
          "INSERT INTO t VALUES (2, " + values + ")");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        String expected =
            ", '\\x" + "61".repeat(16) + "', '\\x" + "62".repeat(4) + "', '\\x" + "63".repeat(5);
        List<Transaction> read = reader.read(3);
        assertThat(MariadbCaptureTest.texts(read.get(0))).containsExactly("+(1" + expected + "')");
        // MySQL has no types that are bytes in its log.
        if (Servers.areMysql()) {
          assertThat(change(read.get(1)).obstacle()).contains("may have a generated column");
        } else {
          assertThat(change(read.get(1)).obstacle()).contains("which type column b had before");
        }
        assertThat(MariadbCaptureTest.texts(read.get(2))).containsExactly("+(2" + expected + "')");
        fixture.execute(
            "ALTER TABLE t ADD COLUMN w INT CHECK (w > 0)",
            "INSERT INTO t VALUES (3, " + values + ", 1)");
        read = reader.read(2);
        assertThat(change(read.get(0)).obstacle()).contains("column w");
        assertThat(MariadbCaptureTest.texts(read.get(1)))
            .containsExactly("+(3" + expected + "', 1)");
      }
    }
  }

  @Test
  void rowsWithAnotherPrimaryKeyThanTheKnownOneStopTheCapture() {
    try (LogFixture fixture = fixture(TABLE).capturing()) {
      fixture.execute(
          "SET SESSION sql_log_bin = 0",
          "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (id, v)",
          "SET SESSION sql_log_bin = 1",
          "INSERT INTO t VALUES (1, 1)");
      assertThat(fixture.failure())
          .hasMessageContaining("table " + fixture.table("t"))
          .hasMessageContaining("the primary key [id, v]");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE t (id INT PRIMARY KEY)",
        "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY)"
      })
  void aTableThatIsCreatedBehindAStartIsAnotherOneThoughItsDropIsInAFileBefore(String create)
      throws Exception {
    try (LogFixture fixture = fixture(TABLE)) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)", "DROP TABLE t", "FLUSH BINARY LOGS", "FLUSH STATUS");
      Position start = fixture.endPosition();
      fixture.execute(create, "CREATE TABLE IF NOT EXISTS t (v INT)", "INSERT INTO t VALUES (2)");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        List<Transaction> read = reader.read(2);
        assertThat(change(read.get(0)).obstacle()).contains("another one");
        assertThat(MariadbCaptureTest.texts(read.get(1))).containsExactly("+(2)");
      }
    }
  }

  @Test
  void aTableThatIsThereForCertainIsNotCreated() throws Exception {
    try (LogFixture fixture = fixture(TABLE)) {
      fixture.execute("INSERT INTO t VALUES (1, 1)");
      Position start = fixture.endPosition();
      fixture.execute("CREATE TABLE IF NOT EXISTS t (id INT)", "INSERT INTO t VALUES (2, 2)");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(2, 2)");
      }
    }
  }

  @Test
  void aTableThatIsMadeBehindADropThatIsNotInTheLogIsAnotherOne() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "SET SESSION sql_log_bin = 0",
          "DROP TABLE t",
          "SET SESSION sql_log_bin = 1",
          "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v INT)",
          "INSERT INTO t VALUES (2, 2)");
      List<Transaction> read = reader.read(3);
      assertThat(change(read.get(1)).obstacle()).contains("a DROP that need not be in the log");
      assertThat(MariadbCaptureTest.texts(read.get(2))).containsExactly("+(2, 2)");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ENGINE = MyISAM", ""})
  void soIsOneOfAnotherEngineThoughMysqlWritesItAsWhatDidNothing(String engine) {
    assumeTrue(Servers.areMysql(), "the log of MariaDB says of no table that it was there");
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "CREATE TABLE IF NOT EXISTS t (id INT)",
          "INSERT INTO t VALUES (3, 3)");
      assertThat(reader.read(2))
          .allMatch(each -> MariadbCaptureTest.texts(each).get(0).startsWith("+"));
      fixture.execute(
          "SET SESSION sql_log_bin = 0, default_storage_engine = MyISAM",
          "DROP TABLE t",
          "SET SESSION sql_log_bin = 1",
          "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v INT) " + engine,
          "INSERT INTO t VALUES (2, 2)");
      List<Transaction> read = reader.read(2);
      assertThat(change(read.get(0)).obstacle()).contains("is another one now");
      assertThat(MariadbCaptureTest.texts(read.get(1))).containsExactly("+(2, 2)");
    }
  }

  @Test
  void aTableThatWasMadeWithoutTheLogBeforeAStartIsTheOneThatTheCatalogHas() throws Exception {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE s (id INT PRIMARY KEY)")) {
      fixture.execute(
          "FLUSH BINARY LOGS",
          "DROP TABLE t",
          "SET SESSION sql_log_bin = 0",
          TABLE,
          "SET SESSION sql_log_bin = 1");
      // As behind a reload. The statement has the file read from its beginning.
      Position start = fixture.endPosition();
      fixture.execute("ALTER TABLE s ADD COLUMN w INT", "INSERT INTO t VALUES (2, 2)");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        List<Transaction> read = reader.read(2);
        assertThat(change(read.get(0)).obstacle()).contains("are not known");
        assertThat(MariadbCaptureTest.texts(read.get(1))).containsExactly("+(2, 2)");
      }
    }
  }

  @Test
  void rowsOfATableThatWasDroppedAndMadeWithoutTheLogAreAnObstacleOnce() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "DROP TABLE t",
          "SET SESSION sql_log_bin = 0",
          TABLE,
          "SET SESSION sql_log_bin = 1",
          "INSERT INTO t VALUES (2, 2)",
          "INSERT INTO t VALUES (3, 3)");
      List<Transaction> read = reader.read(4);
      assertThat(change(read.get(1)).drops()).isTrue();
      assertThat(change(read.get(2)).obstacle()).contains("the log says that the table went");
      assertThat(MariadbCaptureTest.texts(read.get(3))).containsExactly("+(3, 3)");
    }
  }

  @Test
  void aQuietTableStaysTheOneThatAnEarlierCaptureKnewThoughItsLogIsInAnotherFile()
      throws Exception {
    try (LogFixture fixture =
            fixture(TABLE, "CREATE TABLE busy (id INT PRIMARY KEY)", "CREATE TABLE gone (id INT)");
        JournalReader reader = fixture.reader()) {
      Position start;
      try (MariadbCapture first = fixture.capture(Duration.ofMillis(50))) {
        fixture.execute("INSERT INTO busy VALUES (1)", "DROP TABLE gone");
        start = reader.read(2).get(1).position();
        fixture.execute("INSERT INTO busy VALUES (2)");
        reader.read(1);
        fixture.awaitRead(first);
      }
      // As after a start of the server, at which applications make their tables.
      fixture.execute(
          "FLUSH BINARY LOGS",
          "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v INT)",
          "CREATE TABLE IF NOT EXISTS gone (id INT)",
          "ALTER TABLE t ADD COLUMN engine INT, MODIFY v BIGINT",
          "INSERT INTO t VALUES (1, 1, 1)");
      fixture.from(start).capturing();
      // The other one of the name "gone" has no key, and is not the task's.
      List<Transaction> read = reader.read(2);
      assertThat(change(read.get(0)).obstacle()).isNull();
      assertThat(columns(change(read.get(0)).after()))
          .containsExactly("1 id integer NOT NULL", "2 v bigint", "3 engine integer");
      assertThat(MariadbCaptureTest.texts(read.get(1))).containsExactly("+(1, 1, 1)");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"(id INT PRIMARY KEY, v INT)", "LIKE busy", "SELECT 1 AS id"})
  void aQuietTableThatWasThereIsNotCreatedByAStatementBehindTheStartOfAFile(String definition)
      throws Exception {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE busy (id INT PRIMARY KEY)")) {
      fixture.execute("FLUSH BINARY LOGS");
      Position start = fixture.endPosition();
      fixture.execute(
          "CREATE TABLE IF NOT EXISTS t " + definition,
          "ALTER TABLE t ENGINE = InnoDB",
          "INSERT INTO t VALUES (1, 1)");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        List<Transaction> read = reader.read(Servers.areMysql() ? 2 : 1);
        if (Servers.areMysql()) {
          // Else the one that was there could have been dropped, and have had another engine.
          assertThat(change(read.get(0)).obstacle()).contains("another engine before");
        }
        assertThat(MariadbCaptureTest.texts(read.get(read.size() - 1))).containsExactly("+(1, 1)");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"(id INT PRIMARY KEY)", "LIKE busy", "SELECT 1 AS id"})
  void aQuietTableThatWasDroppedIsCreatedByIt(String definition) throws Exception {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE busy (id INT PRIMARY KEY)")) {
      fixture.execute("DROP TABLE t", "FLUSH BINARY LOGS");
      Position start = fixture.endPosition();
      fixture.execute("CREATE TABLE IF NOT EXISTS t " + definition);
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        // Behind it comes the row of a query.
        Definition created = (Definition) reader.read(1).get(0).changes().get(0);
        assertThat(created.changes().changes().get(0).obstacle()).contains("another one");
      }
    }
  }

  @Test
  void aTableThatWasMadeAgainBeforeTheStartMayGetItsEngineBehindItThoughItHadRows()
      throws Exception {
    assumeTrue(Servers.areMysql(), "the log of MariaDB says of no table that it was there");
    try (LogFixture fixture = fixture(TABLE)) {
      fixture.execute(
          "DROP TABLE t",
          "FLUSH BINARY LOGS",
          "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v INT) ENGINE = MyISAM",
          "INSERT INTO t VALUES (1, 1)");
      Position start = fixture.endPosition();
      fixture.execute("ALTER TABLE t ENGINE = InnoDB", "INSERT INTO t VALUES (2, 2)");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        assertThat(change(reader.read(1).get(0)).obstacle()).contains("another engine before");
      }
    }
  }

  @Test
  void aQuietTableWhoseDropIsBeforeTheStartInTheSameFileIsAnotherOneNow() throws Exception {
    try (LogFixture fixture = fixture(TABLE)) {
      fixture.execute("FLUSH BINARY LOGS", "DROP TABLE t");
      Position start = fixture.endPosition();
      fixture.execute(
          "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v INT) ENGINE = MyISAM",
          "ALTER TABLE t ENGINE = InnoDB");
      fixture.from(start).capturing();
      try (JournalReader reader = fixture.reader()) {
        assertThat(change(reader.read(1).get(0)).obstacle()).contains("is another one now");
      }
    }
  }

  @Test
  void whatAnEarlierCaptureKnewDoesNotCountBeforeItsPlace() throws Exception {
    try (LogFixture fixture = fixture(TABLE, "CREATE TABLE busy (id INT PRIMARY KEY)");
        JournalReader reader = fixture.reader()) {
      fixture.execute("DROP TABLE t", "FLUSH BINARY LOGS");
      Position start = fixture.endPosition();
      fixture.execute("CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v INT)");
      Position behind = fixture.endPosition();
      try (MariadbCapture first = fixture.from(behind).capture(Duration.ofMinutes(10))) {
        fixture.execute("FLUSH BINARY LOGS");
        fixture.awaitRead(first);
      }
      fixture.from(start).capturing();
      assertThat(change(reader.read(1).get(0)).obstacle()).contains("another one");
    }
  }

  @Test
  void rowsWithAColumnOfWhichNobodyKnowsTheTypeAreAnObstacleOfTheirTableAlone() throws Exception {
    assumeFalse(Servers.areMysql(), "MySQL has no types that are bytes in its log");
    for (String type : List.of("UUID", "INET6", "INET4", "BINARY(16)")) {
      try (LogFixture fixture =
          fixture(
              "CREATE TABLE t (id INT PRIMARY KEY, u %s)".formatted(type),
              "CREATE TABLE s (id INT PRIMARY KEY)")) {
        Position start = fixture.endPosition();
        fixture.execute(
            "INSERT INTO t VALUES (1, NULL)",
            "INSERT INTO t VALUES (2, NULL)",
            "INSERT INTO s VALUES (1)",
            "ALTER TABLE t DROP COLUMN u",
            "INSERT INTO t VALUES (3)",
            "INSERT INTO s VALUES (2)");
        fixture.from(start).capturing();
        try (JournalReader reader = fixture.reader()) {
          List<Transaction> read = reader.read(5);
          assertThat(change(read.get(0)).table()).isEqualTo(fixture.table("t"));
          assertThat(change(read.get(0)).obstacle()).contains("column u", "UUID");
          assertThat(MariadbCaptureTest.texts(read.get(1))).containsExactly("+(1)");
          assertThat(change(read.get(2)).obstacle()).contains("DROP COLUMN u");
          assertThat(MariadbCaptureTest.texts(read.get(3))).containsExactly("+(3)");
          assertThat(MariadbCaptureTest.texts(read.get(4))).containsExactly("+(2)");
        }
      }
    }
  }

  @Test
  void aTableThatDiffersInTheCaseOfItsNameIsAnotherOne() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "CREATE TABLE T (id INT)",
          "TRUNCATE TABLE T",
          "ALTER TABLE T ADD COLUMN x INT",
          "DROP TABLE T",
          "INSERT INTO t VALUES (1, 1)");
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).containsExactly("+(1, 1)");
    }
  }

  @Test
  void namesAreReadInTheModeOfTheSession() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES'",
          "ALTER TABLE \"t\" ADD \"a,b\" VARCHAR(9) DEFAULT 'x\\y' -- , DROP v");
      assertThat(columns(change(reader.read(1).get(0)).after()))
          .containsExactly(
              "1 id integer NOT NULL", "2 v integer", "3 a,b character varying(9) older x\\y");
    }
  }

  @Test
  void aTypeIsNotFollowedIfTheSessionWasNotStrict() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("SET sql_mode = ''", "ALTER TABLE t MODIFY v BIGINT NOT NULL");
      assertThat(change(reader.read(1).get(0)).obstacle()).contains("is not strict");
    }
  }

  @Test
  void whileOneSessionAltersOnlineOthersRowsKeepTheirPlace() throws Exception {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader();
        Connection other = LogFixture.server().connect(fixture.database);
        Statement altering = other.createStatement()) {
      fixture.execute("INSERT INTO t VALUES (1, 1)");
      altering.execute("ALTER TABLE t ADD COLUMN w INT DEFAULT 1");
      fixture.execute("INSERT INTO t VALUES (2, 2, 2)");
      assertThat(MariadbCaptureTest.texts(reader.read(3).get(2))).containsExactly("+(2, 2, 2)");
    }
  }
}
