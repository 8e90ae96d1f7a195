package dev.sluice.connector.mariadb.capture;

import static dev.sluice.connector.mariadb.capture.LogFixture.fixture;
import static dev.sluice.connector.mariadb.capture.RenamedTablesTest.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.connector.mariadb.Servers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that are made while they are selected; a name that begins with "other" is not. */
class NewTablesTest {
  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY, v INT)";

  @Test
  void aTableIsMadeWithItsColumnsKeyAndDefaultsAndCapturedFromItsFirstRow() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "CREATE TABLE u (`a` VARCHAR(9) NOT NULL DEFAULT 'it''s' COMMENT 'PRIMARY KEY, b', -- c"
              + "\n n INT AUTO_INCREMENT, made DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3),"
              + " PRIMARY KEY (N, `a`) USING BTREE) ENGINE = InnoDB AUTO_INCREMENT 7",
          "ALTER TABLE u ADD w INT DEFAULT 3, MODIFY made DATETIME(3) NULL",
          "INSERT INTO u (made) VALUES ('2026-01-02 03:04:05.678')");
      List<Transaction> read = reader.read(3);
      assertThat(events(read))
          .containsExactly("+u", "u>u", "u+('it's', 7, '2026-01-02 03:04:05.678', 3)");
      fixture.execute("RENAME TABLE u TO v", "DELETE FROM v");
      assertThat(events(reader.read(2))).containsExactly("u>v", "v-('it's', 7)");
      TableDefinition made = HazardsTest.onlyChange(read.get(0)).after();
      assertThat(made.columns().stream().map(column -> column.name() + " " + column.type()))
          .containsExactly(
              "a character varying(9)", "n integer", "made timestamp(3) without time zone");
      assertThat(made.columns().stream().map(ColumnDefinition::notNull))
          .containsExactly(true, true, false);
      assertThat(made.keyNames()).containsExactly("n", "a");
      assertThat(made.columns().stream().map(ColumnDefinition::defaultValue))
          .containsExactly("'it''s'", null, "LOCALTIMESTAMP(3)");
      assertThat(made.columns().get(1).filling()).isEqualTo(Filling.IDENTITY_BY_DEFAULT);
      assertThat(fixture.gained).containsOnlyKeys(fixture.table("u"), fixture.table("v"));
    }
  }

  @Test
  void aTableWithTheRowsOfAQueryIsMadeInOneTransactionWithThem() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("CREATE TABLE u (PRIMARY KEY (id)) SELECT 7 AS id, 'x' AS w");
      List<Transaction> read = reader.read(1);
      assertThat(events(read)).containsExactly("+u", "u+(7, 'x')");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE u LIKE t",
        "CREATE TABLE u (id INT)",
        "CREATE TABLE u SELECT 1 AS id",
        "CREATE TABLE u (id INT PRIMARY KEY, v INT, KEY (v))",
        "CREATE TEMPORARY TABLE u (id INT PRIMARY KEY)"
      })
  void aTableThatIsNotCertainByTheTextIsNotCaptured(String create) {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(create, "INSERT INTO u (id) VALUES (1)", "INSERT INTO t VALUES (1, 1)");
      assertThat(events(reader.read(1))).containsExactly("t+(1, 1)");
      assertThat(fixture.gained).isEmpty();
    }
  }

  @Test
  void aTableOfAnotherEngineThatTheStatementDoesNotNameIsNotCaptured() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "SET SESSION default_storage_engine = MyISAM",
          "CREATE TABLE u (id INT PRIMARY KEY)",
          "INSERT INTO u VALUES (1)",
          "SET SESSION default_storage_engine = InnoDB",
          "INSERT INTO t VALUES (1, 1)");
      assertThat(events(reader.read(1))).containsExactly("t+(1, 1)");
    }
  }

  @Test
  void aTableThatGotItsEngineLaterIsAnObstacleThere() throws Exception {
    assumeFalse(Servers.areMysql(), "the log of MySQL says that it is not of InnoDB");
    try (LogFixture fixture = fixture(TABLE);
        JournalReader reader = fixture.reader()) {
      Position start = fixture.beginning().endPosition();
      fixture.execute(
          "SET SESSION default_storage_engine = MyISAM",
          "CREATE TABLE u (id INT PRIMARY KEY)",
          "SET SESSION default_storage_engine = InnoDB",
          "INSERT INTO t VALUES (1, 1)",
          "ALTER TABLE u ENGINE = InnoDB");
      fixture.from(start).capturing();
      List<Transaction> read = reader.read(3);
      assertThat(events(read)).containsExactly("+u", "t+(1, 1)", "!u");
    }
  }

  @Test
  void soItIsBehindAStartBetweenTheTwoAsFarAsTheServerWasAsked() throws Exception {
    try (LogFixture fixture = fixture(TABLE);
        JournalReader reader = fixture.reader()) {
      Position before = fixture.beginning().end().last();
      fixture.execute("CREATE TABLE u (id INT PRIMARY KEY)");
      Position start = fixture.endPosition();
      fixture.execute("ALTER TABLE u ENGINE = InnoDB", "INSERT INTO t VALUES (1, 1)");
      // As if a capture had read the table, and had been killed before it read more.
      fixture.gained.put(fixture.table("u"), before);
      fixture.proven.put(fixture.table("u"), fixture.end().last());
      fixture.execute("ALTER TABLE u ENGINE = InnoDB", "INSERT INTO t VALUES (2, 2)");
      fixture.from(start).capturing();
      List<Transaction> read = reader.read(3);
      int obstacles = Servers.areMysql() ? 2 : 1;
      assertThat(events(read).subList(0, 2)).containsExactly("!u", "t+(1, 1)");
      assertThat(events(read).get(2)).isEqualTo(obstacles == 2 ? "!u" : "t+(2, 2)");
    }
  }

  @Test
  void aTableThatIsGoneAgainIsMadeIfItsEngineIsWrittenElseItsNameMayBeOfAnotherOne()
      throws Exception {
    try (LogFixture fixture = fixture(TABLE);
        JournalReader reader = fixture.reader()) {
      Position start = fixture.beginning().endPosition();
      fixture.execute(
          "CREATE TABLE u (id INT PRIMARY KEY) ENGINE = 'innodb'",
          "INSERT INTO u VALUES (1)",
          "RENAME TABLE u TO v",
          "CREATE TABLE y (id INT PRIMARY KEY)",
          "RENAME TABLE y TO z",
          "CREATE TABLE y (id INT PRIMARY KEY)",
          "CREATE TABLE w (id INT PRIMARY KEY) ENGINE = InnoDB",
          "INSERT INTO w VALUES (1)",
          "DROP TABLE w",
          "CREATE TABLE x (id INT PRIMARY KEY)",
          "DROP TABLE x",
          "INSERT INTO t VALUES (1, 1)");
      fixture.from(start).capturing();
      assertThat(events(reader.read(10)))
          .containsExactly("+u", "u+(1)", "u>v", "+y", "!y", "!y", "+w", "w+(1)", "-w", "t+(1, 1)");
    }
  }

  @Test
  void textsWhoseCharacterSetIsTheDatabasesAreCertainIfThatIsNotBinary() throws Exception {
    try (LogFixture fixture = fixture(TABLE);
        JournalReader reader = fixture.reader()) {
      fixture.execute("ALTER DATABASE " + fixture.database + " CHARACTER SET binary").capturing();
      fixture.execute(
          "CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(5))",
          "INSERT INTO u VALUES (1, 'a')",
          "CREATE TABLE w (id INT PRIMARY KEY, v VARCHAR(5)) DEFAULT CHARSET = utf8mb4",
          "INSERT INTO w VALUES (1, 'a')",
          "CREATE TABLE x (id INT PRIMARY KEY, v VARCHAR(5) COLLATE utf8mb4_bin, b BLOB)",
          "INSERT INTO x VALUES (1, 'a', NULL)");
      assertThat(events(reader.read(4)))
          .containsExactly("+w", "w+(1, 'a')", "+x", "x+(1, 'a', NULL)");
      fixture.capture().close();
      Position start = fixture.endPosition();
      fixture.execute(
          "CREATE TABLE y (id INT PRIMARY KEY, v VARCHAR(5))",
          "CREATE TABLE z (id INT PRIMARY KEY, v VARCHAR(5))",
          "INSERT INTO y VALUES (1, 'a')",
          "ALTER DATABASE CHARACTER SET utf8mb4",
          "INSERT INTO t VALUES (1, 1)");
      fixture.from(start).capturing();
      List<Transaction> read = reader.read(5);
      assertThat(events(read)).containsExactly("+y", "+z", "!y", "!y !z", "t+(1, 1)");
      assertThat(HazardsTest.onlyChange(read.get(2)).obstacle()).contains("in another way");
    }
  }

  @Test
  void aTableThatIsThereAndNotCapturedIsNotTakenForANewOne() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "SET SESSION sql_log_bin = 0",
          "CREATE TABLE u (id INT PRIMARY KEY)",
          "SET SESSION sql_log_bin = 1",
          "CREATE TABLE IF NOT EXISTS u (id INT PRIMARY KEY)",
          "INSERT INTO u VALUES (1)",
          "CREATE TABLE IF NOT EXISTS v (id INT PRIMARY KEY)",
          "INSERT INTO v VALUES (1)");
      assertThat(events(reader.read(2))).containsExactly("+v", "v+(1)");
    }
  }

  @Test
  void nothingOfATableIsJournaledBeforeItIsRemembered() {
    try (LogFixture fixture = fixture(TABLE);
        JournalReader reader = fixture.reader()) {
      fixture.killedBehindTheMemoryOf(
          "u", reader, "CREATE TABLE u (id INT PRIMARY KEY)", "INSERT INTO u VALUES (1)");
      assertThat(events(reader.read(2))).containsExactly("+u", "u+(1)");
    }
  }

  @Test
  void aTableThatCannotBeRememberedIsNotCaptured() {
    try (LogFixture fixture =
            fixture(TABLE).gaining(table -> Optional.of("the load has not ended")).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "CREATE TABLE u (id INT PRIMARY KEY)",
          "INSERT INTO u VALUES (1)",
          "INSERT INTO t VALUES (1, 1)");
      assertThat(events(reader.read(1))).containsExactly("t+(1, 1)");
    }
  }

  @Test
  void aStartBetweenATableAndItsFirstRowKnowsItAndItsColumns() throws Exception {
    try (LogFixture fixture = fixture(TABLE);
        JournalReader reader = fixture.reader()) {
      Position start = fixture.endPosition();
      fixture.from(start).capturing();
      fixture.execute("CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(5))");
      Position behind = reader.read(1).get(0).position();
      fixture.capture().close();
      fixture.execute("ALTER TABLE u ADD COLUMN w INT", "INSERT INTO u VALUES (1, 'a', 2)");
      fixture.from(behind).capturing();
      List<Transaction> read = reader.read(2);
      assertThat(events(read)).containsExactly("u>u", "u+(1, 'a', 2)");
      assertThat(HazardsTest.onlyChange(read.get(0)).before().columns()).hasSize(2);
    }
  }

  @Test
  void aTableThatIsMadeAgainIsNewAlsoBehindAStartBetweenItsDropAndItself() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "INSERT INTO t VALUES (1, 1)",
          "DROP TABLE t",
          "CREATE TABLE t (x BIGINT PRIMARY KEY) ENGINE = InnoDB",
          "INSERT INTO t VALUES (2)",
          "DROP TABLE t");
      List<Transaction> read = reader.read(5);
      assertThat(events(read)).containsExactly("t+(1, 1)", "-t", "+t", "t+(2)", "-t");
      fixture.capture().close();
      fixture.execute("CREATE TABLE t (y INT PRIMARY KEY, z INT)", "INSERT INTO t VALUES (3, 4)");
      fixture.gained.remove(fixture.table("t"));
      fixture.from(read.get(4).position()).capturing();
      assertThat(events(reader.read(2))).containsExactly("+t", "t+(3, 4)");
    }
  }

  @Test
  void aTableThatIsMadeAgainAndIsNotCertainIsNotTakenForTheOneThatWasDropped() {
    try (LogFixture fixture = fixture(TABLE).capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "CREATE TABLE u (id INT PRIMARY KEY)",
          "DROP TABLE t",
          "CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v))",
          "INSERT INTO t VALUES (1, 1)",
          "INSERT INTO u VALUES (1)");
      assertThat(events(reader.read(3))).containsExactly("+u", "-t", "u+(1)");
    }
  }

  @Test
  void aTableThatIsMadeAgainIsAnObstacleIfItsDropCannotBeRemembered() {
    try (LogFixture fixture = fixture(TABLE).forgettingDrops().capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("DROP TABLE t", TABLE, "INSERT INTO t VALUES (1, 1)");
      assertThat(events(reader.read(3))).containsExactly("-t", "!t", "t+(1, 1)");
    }
  }

  /** The statement that made the table leaves the character set of v to the database. */
  @Test
  void aRowBehindTheStatementThatMadeATableTellsOfWhichTypeItsTextsAre() throws Exception {
    try (LogFixture fixture = fixture("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5))");
        JournalReader reader = fixture.reader()) {
      fixture.execute("INSERT INTO t VALUES (1, 'a')");
      fixture.from(fixture.endPosition());
      fixture.execute("ALTER TABLE t RENAME COLUMN v TO w");
      fixture.capturing();
      assertThat(events(reader.read(1))).containsExactly("t>t");
    }
  }

  @Test
  void withoutARowOnlyWhatIsNotAboutItsTextsIsFollowed() throws Exception {
    try (LogFixture fixture = fixture("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5))");
        JournalReader reader = fixture.reader()) {
      fixture.from(fixture.endPosition());
      fixture.execute("ALTER TABLE t ADD COLUMN n INT", "ALTER TABLE t RENAME COLUMN v TO w");
      fixture.capturing();
      assertThat(events(reader.read(2))).containsExactly("t>t", "!t");
    }
  }

  @Test
  void aRowSaysThatTheTextsOfATableAreBytesWhereItsStatementDoesNot() throws Exception {
    try (LogFixture fixture = fixture();
        JournalReader reader = fixture.reader()) {
      fixture.execute(
          "ALTER DATABASE CHARACTER SET binary",
          "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5))",
          "INSERT INTO t VALUES (1, 'a')");
      fixture.from(fixture.endPosition());
      fixture.execute("ALTER TABLE t ADD COLUMN n INT");
      fixture.capturing();
      TableDefinition before = HazardsTest.onlyChange(reader.read(1).get(0)).before();
      assertThat(before.columns().get(1).type()).isEqualTo("bytea");
    }
  }
}
